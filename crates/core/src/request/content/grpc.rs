//! Calls of gRPC: messages given as JSON, encoded by a file of descriptors.

mod deadline;
mod message;

use std::collections::BTreeMap;

use prost_reflect::{DescriptorPool, MessageDescriptor, MethodDescriptor};
use serde_json::Value;
use thinktime_file::error::{Invalid, unknown};
use thinktime_file::time::Nanos;
use thinktime_file::workload::RequestTable;
use thinktime_file::workload::{GrpcMessage, GrpcMessages};

use super::super::call::{Call, MessageOf};
use super::super::common::Common;
use super::super::method::Method;
use super::header::fields_of;
use super::template::{Place, Template, Unwritten};
use crate::random::Stream;
use deadline::own_headers;

/// A call as a workload has it.
#[derive(Clone, Debug)]
pub struct GrpcCall {
    target: String,
    method: MethodDescriptor,
    /// The fields of its head that are gRPC's own.
    own: Vec<(String, String)>,
    /// These, and the other constant ones.
    headers: Vec<(String, String)>,
    /// Its messages as JSON.
    messages: Vec<Template>,
}

/// The notation of a method, for messages.
const FORM: &str = "a method is written as in grpc = \"shop.Orders/Place\"";

impl GrpcCall {
    /// The call of a request's table, if it is one; an error comes with its key. Its client waits
    /// no longer than until `deadline` after its begin.
    pub(crate) fn from_table(
        table: &RequestTable,
        deadline: Nanos,
        common: Common<'_>,
    ) -> Result<Option<GrpcCall>, (&'static str, Invalid)> {
        let Some(name) = &table.grpc else {
            return match (&table.descriptors, &table.message) {
                (None, None) => Ok(None),
                (Some(_), _) => Err(("descriptors", Invalid::new("goes with `grpc` only"))),
                (None, Some(_)) => Err(("message", Invalid::new("goes with `grpc` only"))),
            };
        };
        let Some(file) = &table.descriptors else {
            let why = "needs `descriptors`, a file that `protoc --include_imports \
                       --descriptor_set_out=FILE` writes";
            return Err(("grpc", Invalid::new(why)));
        };
        let bytes = common.files.bytes(file).map_err(|error| ("descriptors", error))?;
        if bytes.is_empty() && common.files.may_be_missing() {
            return Ok(None);
        }
        let pool = pool(file, &bytes).map_err(|error| ("descriptors", error))?;
        let method = method(name, &pool).map_err(|error| ("grpc", error))?;
        if table.messages.is_some() && !method.is_server_streaming() {
            let why =
                format!("goes with methods that give a stream, and `{name}` gives one message");
            return Err(("messages", Invalid::new(why)));
        }
        let mut headers = metadata_of(&table.headers).map_err(|error| ("headers", error))?;
        // An error in one is reported with those of the varying ones.
        headers.retain(|(_, text)| common.varies(text) == Ok(false));
        let own = own_headers(deadline);
        headers.splice(..0, own.iter().cloned());
        let (target, messages) = (target(name), Vec::new());
        let mut call = GrpcCall { target, method, own, headers, messages };
        call.messages = call.messages_of(table, common).map_err(|error| ("message", error))?;
        Ok(Some(call))
    }

    /// Whether it is answered by a stream of messages.
    #[must_use]
    pub fn gives_stream(&self) -> bool {
        self.method.is_server_streaming()
    }

    /// The fields of its head that are gRPC's own.
    pub(crate) fn own_headers(&self) -> &[(String, String)] {
        &self.own
    }

    /// The parts of its answer.
    #[must_use]
    pub fn output(&self) -> MessageDescriptor {
        self.method.output()
    }

    fn name(&self) -> &str {
        self.target.trim_start_matches('/')
    }

    /// The messages of its table, one after another.
    fn messages_of(
        &self,
        table: &RequestTable,
        common: Common<'_>,
    ) -> Result<Vec<Template>, Invalid> {
        let Some(value) = &table.message else { return Ok(vec![Template::fixed(b"{}".to_vec())]) };
        if matches!(value, GrpcMessages::Many(_)) && !self.method.is_client_streaming() {
            return Err(self.takes_one());
        }
        let read = |message: &GrpcMessage| {
            let names = &common.values.names;
            let template = Template::parse(&message.json(), Place::Json, names, common.files)?;
            self.check(&template).map(|()| template)
        };
        value.all().iter().map(read).collect()
    }

    fn takes_one(&self) -> Invalid {
        let name = self.name();
        Invalid::new(format!(
            "`{name}` takes one message: a list is for methods that take a stream"
        ))
    }

    /// Its body, if it is constant.
    pub(crate) fn fixed_body(&self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        for message in &self.messages {
            self.encode(&message.as_fixed()?, &mut body).ok()?;
        }
        Some(body)
    }

    /// Appends the body of one request: draws from `stream`, values by their places.
    ///
    /// # Errors
    /// When a value is missing, or does not fit its field.
    pub(crate) fn write<'v>(
        &self,
        out: &mut Vec<u8>,
        stream: &mut Stream,
        value: &impl Fn(usize) -> Option<&'v [u8]>,
    ) -> Result<(), Unwritten> {
        let mut json = Vec::new();
        for message in &self.messages {
            json.clear();
            message.write(&mut json, stream, value)?;
            self.encode(&json, out).map_err(|_| Unwritten::Unfit)?;
        }
        Ok(())
    }

    /// The call of a program: the same call with further metadata. It may have another message, or
    /// a list of them for a method that takes a stream. If the workload's message varies, it is
    /// drawn when the call goes out.
    ///
    /// # Errors
    /// When it is not a message of the method's, or the metadata is not allowed.
    pub fn with(
        &self,
        message: Option<Value>,
        metadata: Vec<(String, String)>,
    ) -> Result<Call, Invalid> {
        check_metadata(&metadata)?;
        let (body, of) = match message {
            Some(message) => (self.body_of(message)?, MessageOf::Program),
            // A message with draws in it is made later, for each call.
            None => (self.fixed_body().unwrap_or_default(), MessageOf::Workload),
        };
        let given = |name: &str| metadata.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let kept = self.headers.iter().filter(|(name, _)| !given(name)).cloned();
        Ok(Call {
            method: Method::Post,
            target: self.target.clone(),
            headers: kept.chain(metadata.iter().cloned()).collect(),
            body,
            cuts: Vec::new(),
            binary: false,
            expect: None,
            grpc: Some(of),
            sql: None,
        })
    }

    /// The body that brings these messages.
    fn body_of(&self, message: Value) -> Result<Vec<u8>, Invalid> {
        let messages = match message {
            Value::Array(list) if self.method.is_client_streaming() => list,
            Value::Array(list) if !list.is_empty() => return Err(self.takes_one()),
            one => vec![one],
        };
        let mut body = Vec::new();
        for mut message in messages {
            message::complete(&mut message, &self.method.input());
            self.encode(message.to_string().as_bytes(), &mut body)?;
        }
        Ok(body)
    }
}

/// The target of a call's POST.
pub(crate) fn target(name: &str) -> String {
    format!("/{}", name.trim_start_matches('/'))
}

/// The metadata of a call: header fields, except those of gRPC itself.
pub(crate) fn metadata_of(
    table: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, Invalid> {
    let fields = fields_of(table)?;
    check_metadata(&fields).map(|()| fields)
}

fn check_metadata(fields: &[(String, String)]) -> Result<(), Invalid> {
    let reserved = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.starts_with("grpc-") || ["content-type", "content-length", "te"].contains(&&name[..])
    };
    match fields.iter().find(|(name, _)| reserved(name)) {
        Some((name, _)) => Err(Invalid::new(format!("`{name}` cannot be given: it is gRPC's own"))),
        None => Ok(()),
    }
}

fn pool(file: &str, bytes: &[u8]) -> Result<DescriptorPool, Invalid> {
    DescriptorPool::decode(bytes)
        .map_err(|error| Invalid::new(format!("{file}: holds no descriptors: {error}")))
}

fn method(name: &str, pool: &DescriptorPool) -> Result<MethodDescriptor, Invalid> {
    let (service_name, method_name) =
        name.trim_start_matches('/').rsplit_once('/').ok_or_else(|| Invalid::new(FORM))?;
    let service = pool.get_service_by_name(service_name).ok_or_else(|| {
        let known: Vec<String> =
            pool.services().map(|service| service.full_name().to_owned()).collect();
        unknown("service", service_name, known.iter().map(String::as_str))
    })?;
    service.methods().find(|method| method.name() == method_name).ok_or_else(|| {
        let known: Vec<String> = service.methods().map(|method| method.name().to_owned()).collect();
        unknown("method", method_name, known.iter().map(String::as_str))
    })
}

#[cfg(test)]
mod tests;
