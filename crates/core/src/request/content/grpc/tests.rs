//! Calls from files and programs.

use prost_reflect::prost::Message as _;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, MethodDescriptorProto,
    ServiceDescriptorProto,
};
use serde_json::json;
use thinktime_file::schema::Source;

use crate::workload::WorkloadFiles;

use super::super::grpc::*;
use crate::files::Files;
use crate::request::call::MessageOf;
use crate::request::kind::RequestKind;
use crate::workload::Workload;

struct Descriptors;

impl Files for Descriptors {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("no text in {name}")))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
        if name == "shop.pb" { Ok(descriptors().encode_to_vec()) } else { Ok(vec![7]) }
    }
}

impl WorkloadFiles for Descriptors {}

fn field(number: i32, name: &str, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        ..FieldDescriptorProto::default()
    }
}

fn field_of(number: i32, name: &str, kind: Type, name_of_kind: &str) -> FieldDescriptorProto {
    FieldDescriptorProto { type_name: Some(name_of_kind.to_owned()), ..field(number, name, kind) }
}

fn list(field: FieldDescriptorProto) -> FieldDescriptorProto {
    FieldDescriptorProto { label: Some(Label::Repeated.into()), ..field }
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), field, ..DescriptorProto::default() }
}

/// An order, which has fields of all kinds.
fn order() -> DescriptorProto {
    let fields = vec![
        field(1, "item", Type::String),
        field(2, "amount", Type::Int32),
        field(3, "order_id", Type::Int64),
        field(4, "gift", Type::Bool),
        list(field(5, "tags", Type::String)),
        field_of(6, "address", Type::Message, ".shop.Address"),
        field_of(7, "size", Type::Enum, ".shop.Size"),
        list(field_of(8, "parts", Type::Message, ".shop.Order")),
        list(field_of(9, "notes", Type::Message, ".shop.Order.NotesEntry")),
        field(10, "picture", Type::Bytes),
    ];
    let entry = message(
        "NotesEntry",
        vec![field(1, "key", Type::String), field_of(2, "value", Type::Message, ".shop.Address")],
    );
    let options = MessageOptions { map_entry: Some(true), ..MessageOptions::default() };
    let entry = DescriptorProto { options: Some(options), ..entry };
    DescriptorProto { nested_type: vec![entry], ..message("Order", fields) }
}

/// A service whose method Place takes and gives an order, whose Watch gives a stream, and whose
/// Collect takes one.
fn descriptors() -> FileDescriptorSet {
    let method = |name: &str, takes, gives| MethodDescriptorProto {
        name: Some(name.to_owned()),
        input_type: Some(".shop.Order".to_owned()),
        output_type: Some(".shop.Order".to_owned()),
        client_streaming: Some(takes),
        server_streaming: Some(gives),
        ..MethodDescriptorProto::default()
    };
    let orders = ServiceDescriptorProto {
        name: Some("Orders".to_owned()),
        method: vec![
            method("Place", false, false),
            method("Watch", false, true),
            method("Collect", true, false),
        ],
        ..ServiceDescriptorProto::default()
    };
    let size = |(number, name): (i32, &str)| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        ..EnumValueDescriptorProto::default()
    };
    let sizes = EnumDescriptorProto {
        name: Some("Size".to_owned()),
        value: [(0, "SMALL"), (1, "LARGE")].map(size).to_vec(),
        ..EnumDescriptorProto::default()
    };
    let file = FileDescriptorProto {
        name: Some("shop.proto".to_owned()),
        package: Some("shop".to_owned()),
        syntax: Some("proto3".to_owned()),
        message_type: vec![order(), message("Address", vec![field(1, "street", Type::String)])],
        enum_type: vec![sizes],
        service: vec![orders],
        ..FileDescriptorProto::default()
    };
    FileDescriptorSet { file: vec![file] }
}

fn parse(request: &str) -> Result<Workload, String> {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'x'\n{request}"
    );
    Workload::parse(Source { file: "w.toml", text: &text }, &Descriptors)
        .map_err(|error| error.to_string())
}

#[test]
fn messages_are_encoded_as_the_descriptors_say() {
    let request = "grpc = 'shop.Orders/Place'\ndescriptors = 'shop.pb'\n\
                   message = '{\"item\": \"ab\", \"amount\": 300}'";
    let kind = &parse(request).unwrap().requests[0];
    assert!(kind.method == Method::Post && kind.grpc.is_some());
    assert_eq!(kind.body, b"\x00\x00\x00\x00\x07\x0a\x02ab\x10\xac\x02");
    assert!(kind.headers.contains(&("te".to_owned(), "trailers".to_owned())));
    let empty = parse("grpc = '/shop.Orders/Place'\ndescriptors = 'shop.pb'").unwrap();
    assert_eq!(empty.requests[0].body, [0; 5]);
}

#[test]
fn streams_are_of_several_messages() {
    let call = |method: &str, more: &str| {
        let request = format!("grpc = 'shop.Orders/{method}'\ndescriptors = 'shop.pb'\n{more}");
        parse(&request).unwrap().requests[0].clone()
    };
    let several = call("Collect", "message = ['{\"amount\": 7}', '{}']");
    assert_eq!(several.body, b"\x00\x00\x00\x00\x02\x10\x07\x00\x00\x00\x00\x00");
    assert!(!several.grpc.unwrap().gives_stream());
    assert_eq!(call("Collect", "message = []").body, b"");
    assert_eq!(call("Collect", "message = '{\"amount\": 7}'").body, several.body[..7]);
    assert_eq!(call("Collect", "").body, [0; 5]);
    let watch = call("Watch", "messages = 3");
    assert_eq!((watch.grpc.unwrap().gives_stream(), watch.messages), (true, Some(3)));
    assert_eq!(call("Watch", "").messages, None);
}

#[test]
fn header_fields_are_metadata() {
    let request = "grpc = 'shop.Orders/Place'\ndescriptors = 'shop.pb'\n\
                   headers = { X-Tenant = 'north', trace-bin = 'AAE=' }";
    let kind = &parse(request).unwrap().requests[0];
    let field = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let own = [("content-type", "application/grpc"), ("te", "trailers")];
    let metadata = [("X-Tenant", "north"), ("trace-bin", "AAE=")];
    assert_eq!(kind.headers, own.into_iter().chain(metadata).map(field).collect::<Vec<_>>());
}

#[test]
fn wrong_calls_are_explained() {
    let place = "grpc = 'shop.Orders/Place'\ndescriptors = 'shop.pb'";
    for (request, expected) in [
        ("grpc = 'shop.Orders/Place'".to_owned(), "needs `descriptors`"),
        ("grpc = 'Place'\ndescriptors = 'shop.pb'".to_owned(), "a method is written as"),
        (place.replace("Orders", "Order"), "did you mean `shop.Orders`?"),
        (place.replace("Place", "Pace"), "did you mean `Place`?"),
        (format!("{place}\nmessage = ['{{}}']"), "takes one message: a list is for"),
        (format!("{place}\nmessages = 2"), "messages: goes with methods that give a stream"),
        (place.replace("shop.pb", "other.pb"), "holds no descriptors"),
        (format!("{place}\nmessage = '{{\"price\": 1}}'"), "request[1].message: is no `shop."),
        (format!("{place}\nmessage = '{{'"), "is no `shop.Order` in JSON"),
        (format!("{place}\nmessage = '{{}} 7'"), "is no `shop.Order` in JSON"),
        (format!("{place}\nbody = 'x'"), "goes with `post`, `put`, `patch`"),
        (format!("{place}\nget = '/'"), "a request has one method"),
        (format!("{place}\nheaders = {{ Content-Type = 'x' }}"), "it is gRPC's own"),
        (format!("{place}\nheaders = {{ Grpc-Timeout = '1S' }}"), "it is gRPC's own"),
        (format!("{place}\nheaders = {{ TE = 'x' }}"), "cannot be given"),
        (format!("{place}\nmessage = {{ amount = '{{zpf(n=2, s=1)}}' }}"), "invalid digit"),
        (format!("{place}\nmessage = {{ item = '{{zipf(n=0, s=1)}}' }}"), "request[1].message:"),
        (format!("{place}\nmessage = {{ amount = '{{const(3e9)}}' }}"), "is no `shop.Order`"),
        (format!("{place}\nmessage = 7"), "a message is a table, or JSON as a text"),
        ("message = '{}'".to_owned(), "goes with `grpc` only"),
        ("descriptors = 'shop.pb'".to_owned(), "goes with `grpc` only"),
    ] {
        let said = parse(&request).unwrap_err();
        assert!(said.contains(expected), "{request}: {said}");
    }
}

/// A kind of request whose message has places that vary, and the bytes of one of its requests.
fn written(message: &str, values: &[&str]) -> Result<Vec<u8>, Unwritten> {
    let kind = varying(message).unwrap();
    assert!(kind.body.is_empty(), "{message}: nothing is encoded before the run");
    let value = |place: usize| values.get(place).map(|text| text.as_bytes());
    let call = kind.call(&mut Stream::new(0, 0, crate::random::Purpose::Target), &value);
    let call = call.expect("something varies in it")?;
    assert_eq!(call.grpc, Some(MessageOf::Workload));
    assert_eq!(call.target, "/shop.Orders/Collect");
    assert_eq!(call.headers[..2], own_headers(Nanos::MAX));
    Ok(call.body)
}

/// A call of a session that has the values `first` and `second`.
fn varying(message: &str) -> Result<RequestKind, String> {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = 0\n\
         [[request]]\nname = 'x'\n\
         take = {{ first = 'body', second = 'body' }}\ngrpc = 'shop.Orders/Collect'\n\
         descriptors = 'shop.pb'\nmessage = {message}"
    );
    let workload = Workload::parse(Source { file: "w.toml", text: &text }, &Descriptors);
    workload.map(|it| it.requests[0].clone()).map_err(|error| error.to_string())
}

#[test]
fn draws_and_values_stand_in_messages() {
    // Bytes by hand: the number of a field times 8 and its wire type, then its length or value.
    let drawn = b"\x00\x00\x00\x00\x06\x0a\x02n7\x10\x07";
    for message in [
        "{ item = 'n{const(7)}', amount = '{const(7)}' }",
        "'{\"item\": \"n{const(7)}\", \"amount\": {const(7)}}'",
    ] {
        assert_eq!(written(message, &[]).unwrap(), drawn, "{message}");
    }
    let nested = "{ order_id = '{first}', address = { street = '{second}' }, tags = ['{second}'] }";
    assert_eq!(
        written(nested, &["-2", "a\"b"]).unwrap(),
        b"\x00\x00\x00\x00\x17\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\
          \x2a\x03a\"b\x32\x05\x0a\x03a\"b"
    );
    let list = "['{\"gift\": {first}}', { size = '{second}' }, {}]";
    let several = b"\x00\x00\x00\x00\x02\x20\x01\x00\x00\x00\x00\x02\x38\x01\x00\x00\x00\x00\x00";
    assert_eq!(written(list, &["true", "LARGE"]).unwrap(), several);
    assert_eq!(written(list, &["true", "HUGE"]), Err(Unwritten::Unfit));
    assert_eq!(written(list, &["yes", "LARGE"]), Err(Unwritten::Unfit));
    assert_eq!(written(list, &["true"]), Err(Unwritten::Missing(1)));
}

#[test]
fn mistakes_around_values_are_found_before_the_run() {
    for (message, expected) in [
        ("{ itm = '{first}' }", "unrecognized field name 'itm'"),
        ("{ address = { town = '{first}' } }", "unrecognized field name 'town'"),
        ("'{\"item\": \"{first}\"'", "is no `shop.Order` in JSON: EOF"),
        ("{ item = '{frst}' }", "did you mean `first`"),
    ] {
        let said = varying(message).unwrap_err();
        assert!(said.contains("request[1].message: ") && said.contains(expected), "{said}");
    }
}

fn call(method: &str) -> GrpcCall {
    let request = format!(
        "grpc = 'shop.Orders/{method}'\ndescriptors = 'shop.pb'\nheaders = {{ X-A = 'b', X-B = \
         '{{const(7)}}' }}"
    );
    let kind = parse(&request).unwrap().requests[0].clone();
    GrpcCall::clone(&kind.grpc.unwrap())
}

#[test]
fn programs_give_messages_and_metadata() {
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let made = call("Place").with(Some(json!({"amount": 300.0})), vec![own("x-a", "c")]).unwrap();
    assert_eq!(made.body, b"\x00\x00\x00\x00\x03\x10\xac\x02");
    let metadata = [own_headers(Nanos::MAX), vec![own("x-a", "c")]].concat();
    assert_eq!((made.headers, made.target.as_str()), (metadata, "/shop.Orders/Place"));
    let wrong = |message, metadata: &[(String, String)]| {
        call("Place").with(Some(message), metadata.to_vec()).unwrap_err().to_string()
    };
    assert!(wrong(json!({"amout": 1}), &[]).contains("unrecognized field name 'amout'"));
    assert!(wrong(json!([{}]), &[]).contains("takes one message"));
    for name in ["Grpc-Timeout", "TE", "content-length"] {
        assert!(wrong(json!({}), &[own(name, "1")]).contains("it is gRPC's own"), "{name}");
    }
    let body = |method: &str, message| call(method).with(Some(message), Vec::new()).unwrap().body;
    assert_eq!(body("Collect", json!([{"amount": 7}, {}])).len(), 12);
    assert_eq!(body("Collect", json!([])), b"");
    assert_eq!(body("Collect", json!({"amount": 7})), b"\x00\x00\x00\x00\x02\x10\x07");
    // Tables of Luau that are empty come as lists.
    let empty = json!({"address": [], "tags": [], "notes": [], "parts": [{"address": []}, []]});
    let empty = body("Place", empty);
    assert_eq!(empty, b"\x00\x00\x00\x00\x08\x32\x00\x42\x02\x32\x00\x42\x00");
    let noted = body("Place", json!({"notes": {"a": []}}));
    assert_eq!(noted, body("Place", json!({"notes": {"a": {}}})));
    assert_eq!(body("Place", json!([])), [0; 5]);
}
