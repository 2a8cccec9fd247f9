//! Answers of calls that give a `google.protobuf.Field`, which has fields of many kinds, or a
//! stream of them; their bytes by hand.

use prost_reflect::ReflectMessage;
use prost_reflect::prost_types::{
    self, FileDescriptorProto, MethodDescriptorProto, ServiceDescriptorProto,
};
use serde_json::{Value, json};
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::schema::Source;
use thinktime_core::workload::{Workload, WorkloadFiles};

use super::*;

struct Descriptors;

impl Files for Descriptors {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("no text in {name}")))
    }

    fn bytes(&self, _name: &str) -> Result<Vec<u8>, Invalid> {
        let method = |name: &str, gives| MethodDescriptorProto {
            name: Some(name.to_owned()),
            input_type: Some(".google.protobuf.Field".to_owned()),
            output_type: Some(".google.protobuf.Field".to_owned()),
            server_streaming: Some(gives),
            ..MethodDescriptorProto::default()
        };
        let service = ServiceDescriptorProto {
            name: Some("S".to_owned()),
            method: vec![method("One", false), method("Many", true)],
            ..ServiceDescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("a.proto".to_owned()),
            package: Some("a".to_owned()),
            dependency: vec!["google/protobuf/type.proto".to_owned()],
            service: vec![service],
            ..FileDescriptorProto::default()
        };
        let mut pool = prost_types::Field::default().descriptor().parent_pool().clone();
        pool.add_file_descriptor_proto(file).unwrap();
        Ok(pool.encode_to_vec())
    }
}

impl WorkloadFiles for Descriptors {}

fn call(method: &str) -> GrpcCall {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'x'\n\
         grpc = 'a.S/{method}'\ndescriptors = 'a.pb'\n"
    );
    let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
    GrpcCall::clone(workload.requests[0].grpc.as_ref().unwrap())
}

fn read(method: &str, bytes: &[u8], partial: bool, messages: usize) -> Result<String, NoAnswer> {
    let answer = Body { bytes, partial, messages }.read(&call(method), 1 << 20)?;
    assert!(!answer.cut);
    Ok(String::from_utf8(answer.json).unwrap())
}

/// `kind` is 5 (TYPE_INT32), `number` 300, `name` "ab", and an option has the name "o".
const ONE: &[u8] = b"\x00\x00\x00\x00\x0e\x08\x05\x18\xac\x02\x22\x02ab\x4a\x03\x0a\x01o";

#[test]
fn answers_are_read_as_json() {
    let all = usize::MAX;
    let expected = json!({
        "kind": "TYPE_INT32", "cardinality": "CARDINALITY_UNKNOWN", "number": 300, "name": "ab",
        "typeUrl": "", "oneofIndex": 0, "packed": false, "options": [{"name": "o"}],
        "jsonName": "", "defaultValue": "",
    });
    let json = read("One", ONE, false, all).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), expected);
    let two = [ONE, &[0; 5]].concat();
    for (messages, partial, items) in [(all, false, 2), (2, false, 2), (1, true, 1)] {
        let json = read("Many", &two, partial, messages).unwrap();
        let list: Vec<Value> = serde_json::from_str(&json).unwrap();
        assert_eq!((list.len(), &list[0]), (items, &expected));
    }
    for end in 0..two.len() {
        let whole = [0, ONE.len()].contains(&end);
        assert_eq!(read("Many", &two[..end], false, all).is_ok(), whole, "{end}");
        let json = read("Many", &two[..end], true, all).unwrap();
        let list: Vec<Value> = serde_json::from_str(&json).unwrap();
        assert_eq!(list.len(), usize::from(end >= ONE.len()));
    }
    assert_eq!(read("One", b"", false, all), Ok(String::new()));
    assert_eq!(read("Many", b"", false, all), Ok("[]".to_owned()));
    for wrong in [&two[..], b"\x01\0\0\0\0", b"\0\0\0\0\x01\x22", b"<html></html>"] {
        assert_eq!(read("One", wrong, false, all), Err(NoAnswer), "{wrong:?}");
    }
}

#[test]
fn what_is_long_as_json_is_cut_at_a_message() {
    // Each option has two bytes here, and some ten as JSON.
    let options = [&[0, 0, 0, 0x03, 0xe8][..], &[0x4a, 0].repeat(500)].concat();
    let body = |bytes| Body { bytes, partial: false, messages: usize::MAX };
    let answer = body(&options).read(&call("One"), 5_000).unwrap();
    assert_eq!(answer, Answer { json: Vec::new(), cut: true });
    let many = [&[0; 5][..], &[0; 5], &options, &[0; 5]].concat();
    let answer = body(&many).read(&call("Many"), 5_000).unwrap();
    assert!(answer.cut && answer.json.len() <= 5_000);
    assert_eq!(serde_json::from_slice::<Vec<Value>>(&answer.json).unwrap().len(), 2);
    for bytes_max in 0..400 {
        let answer = body(&[0; 10]).read(&call("Many"), bytes_max).unwrap();
        assert!(answer.json.len() <= bytes_max.max(2), "{bytes_max}");
        assert!(serde_json::from_slice::<Vec<Value>>(&answer.json).is_ok());
    }
}
