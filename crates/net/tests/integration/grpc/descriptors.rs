//! The descriptors of the services, as a workload's file.

use std::sync::Arc;

use prost_reflect::prost::Message;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    MethodDescriptorProto, ServiceDescriptorProto,
};
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::program::ProgramSource;
use thinktime_core::request::RequestKind;
use thinktime_core::workload::WorkloadFiles;

use super::programs::Callers;

const METHODS: [&str; 11] = [
    "Good", "Bad", "Short", "Mute", "Told", "Drawn", "Collect", "Echo", "Watch", "Endless", "Timed",
];
/// Methods of a service whose messages are not empty.
const TALKS: [&str; 4] = ["Mirror", "Odd", "Both", "Told"];

pub(super) struct Descriptors;

impl Files for Descriptors {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("no text in {name}")))
    }

    fn bytes(&self, _name: &str) -> Result<Vec<u8>, Invalid> {
        let method = |name: &str| MethodDescriptorProto {
            name: Some(name.to_owned()),
            client_streaming: Some(["Collect", "Echo"].contains(&name)),
            server_streaming: Some(["Watch", "Endless", "Echo"].contains(&name)),
            input_type: Some(".a.Empty".to_owned()),
            output_type: Some(".a.Empty".to_owned()),
            ..MethodDescriptorProto::default()
        };
        let empty =
            DescriptorProto { name: Some("Empty".to_owned()), ..DescriptorProto::default() };
        let talk = |name: &str| MethodDescriptorProto {
            client_streaming: Some(name == "Both"),
            server_streaming: Some(name == "Both"),
            input_type: Some(".a.Word".to_owned()),
            output_type: Some(".a.Word".to_owned()),
            ..method(name)
        };
        let service = |name: &str, method: Vec<MethodDescriptorProto>| ServiceDescriptorProto {
            name: Some(name.to_owned()),
            method,
            ..ServiceDescriptorProto::default()
        };
        let services = vec![
            service("S", METHODS.map(method).to_vec()),
            service("T", TALKS.map(talk).to_vec()),
        ];
        let text = FieldDescriptorProto {
            name: Some("text".to_owned()),
            number: Some(1),
            label: Some(Label::Optional.into()),
            r#type: Some(Type::String.into()),
            ..FieldDescriptorProto::default()
        };
        let word = DescriptorProto {
            name: Some("Word".to_owned()),
            field: vec![text],
            ..DescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("a.proto".to_owned()),
            package: Some("a".to_owned()),
            syntax: Some("proto3".to_owned()),
            message_type: vec![empty, word],
            service: services,
            ..FileDescriptorProto::default()
        };
        Ok(FileDescriptorSet { file: vec![file] }.encode_to_vec())
    }
}

impl WorkloadFiles for Descriptors {
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        let own = ["own.luau", "file.luau"].contains(&name);
        let own = own.then(|| requests[0].grpc.clone().unwrap());
        Ok(Arc::new(Callers { gets: name == "get.luau", gives: name == "own.luau", own }))
    }
}
