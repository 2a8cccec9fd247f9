//! Calls of gRPC: a message given as JSON, encoded as a file of descriptors says.

use std::collections::BTreeMap;

use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor};

use super::header::fields_of;
use super::message::MessagesValue;
use super::request_table::RequestTable;
use crate::error::{Invalid, unknown};
use crate::files::Files;

/// A call.
pub(super) struct GrpcCall {
    /// The messages, each with its prefix.
    pub(super) body: Vec<u8>,
    /// Whether it is answered by a stream of messages.
    pub(super) gives_stream: bool,
}

/// How a method is written, for messages.
const FORM: &str = "a method is written as in grpc = \"shop.Orders/Place\"";

impl GrpcCall {
    /// The call of a request's table, if it is one; an error comes with its key.
    pub(super) fn from_table(
        table: &RequestTable,
        files: &dyn Files,
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
        let pool = pool(file, files).map_err(|error| ("descriptors", error))?;
        let method = method(name, &pool).map_err(|error| ("grpc", error))?;
        let gives_stream = method.is_server_streaming();
        if table.messages.is_some() && !gives_stream {
            let why =
                format!("goes with methods that give a stream, and `{name}` gives one message");
            return Err(("messages", Invalid::new(why)));
        }
        let body = body(table, name, &method).map_err(|error| ("message", error))?;
        Ok(Some(GrpcCall { body, gives_stream }))
    }
}

/// The target of a call's POST.
pub(super) fn target(name: &str) -> String {
    format!("/{}", name.trim_start_matches('/'))
}

/// The fields of its head.
pub(super) fn headers() -> Vec<(String, String)> {
    let field = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    [("content-type", "application/grpc"), ("te", "trailers")].map(field).to_vec()
}

/// The metadata that a call brings: header fields, but for those of gRPC itself.
pub(super) fn metadata_of(
    table: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, Invalid> {
    let fields = fields_of(table)?;
    let reserved = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.starts_with("grpc-") || name == "content-type"
    };
    match fields.iter().find(|(name, _)| reserved(name)) {
        Some((name, _)) => Err(Invalid::new(format!("`{name}` cannot be given: it is gRPC's own"))),
        None => Ok(fields),
    }
}

fn pool(file: &str, files: &dyn Files) -> Result<DescriptorPool, Invalid> {
    DescriptorPool::decode(files.bytes(file)?.as_slice())
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

/// The messages of a table's call, one after another.
fn body(table: &RequestTable, name: &str, method: &MethodDescriptor) -> Result<Vec<u8>, Invalid> {
    let Some(value) = &table.message else { return encode(method, "{}") };
    if matches!(value, MessagesValue::Many(_)) && !method.is_client_streaming() {
        return Err(Invalid::new(format!(
            "`{name}` takes one message: a list is for methods that take a stream"
        )));
    }
    let encoded = value.texts().iter().map(|json| encode(method, json));
    Ok(encoded.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The bytes of a message, with the prefix that says that they are not compressed, and how many.
fn encode(method: &MethodDescriptor, json: &str) -> Result<Vec<u8>, Invalid> {
    let wrong = |why: String| {
        Invalid::new(format!("is no `{}` in JSON: {why}", method.input().full_name()))
    };
    let mut reader = serde_json::Deserializer::from_str(json);
    let message = DynamicMessage::deserialize(method.input(), &mut reader)
        .map_err(|error| wrong(error.to_string()))?;
    reader.end().map_err(|error| wrong(error.to_string()))?;
    let bytes = message.encode_to_vec();
    let length = u32::try_from(bytes.len()).map_err(|_| wrong("it is too long".to_owned()))?;
    Ok([&[0][..], &length.to_be_bytes(), &bytes].concat())
}

#[cfg(test)]
mod tests {
    use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
    use prost_reflect::prost_types::{
        DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
        MethodDescriptorProto, ServiceDescriptorProto,
    };

    use super::*;
    use crate::schema::Source;
    use crate::workload::{Method, Workload};

    struct Descriptors;

    impl Files for Descriptors {
        fn read(&self, name: &str) -> Result<String, Invalid> {
            Err(Invalid::new(format!("no text in {name}")))
        }

        fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
            if name == "shop.pb" { Ok(descriptors().encode_to_vec()) } else { Ok(vec![7]) }
        }
    }

    /// A service whose method Place takes and gives an order, whose Watch gives a stream, and whose
    /// Collect takes one.
    fn descriptors() -> FileDescriptorSet {
        let field = |number, name: &str, kind: Type| FieldDescriptorProto {
            name: Some(name.to_owned()),
            number: Some(number),
            label: Some(Label::Optional.into()),
            r#type: Some(kind.into()),
            ..FieldDescriptorProto::default()
        };
        let method = |name: &str, takes, gives| MethodDescriptorProto {
            name: Some(name.to_owned()),
            input_type: Some(".shop.Order".to_owned()),
            output_type: Some(".shop.Order".to_owned()),
            client_streaming: Some(takes),
            server_streaming: Some(gives),
            ..MethodDescriptorProto::default()
        };
        let order = DescriptorProto {
            name: Some("Order".to_owned()),
            field: vec![field(1, "item", Type::String), field(2, "amount", Type::Int32)],
            ..DescriptorProto::default()
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
        let file = FileDescriptorProto {
            name: Some("shop.proto".to_owned()),
            package: Some("shop".to_owned()),
            syntax: Some("proto3".to_owned()),
            message_type: vec![order],
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
        assert_eq!((kind.method, kind.grpc), (Method::Post, true));
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
        assert!(!several.gives_stream);
        assert_eq!(call("Collect", "message = []").body, b"");
        assert_eq!(call("Collect", "message = '{\"amount\": 7}'").body, several.body[..7]);
        assert_eq!(call("Collect", "").body, [0; 5]);
        let watch = call("Watch", "messages = 3");
        assert_eq!((watch.gives_stream, watch.messages), (true, Some(3)));
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
            ("message = '{}'".to_owned(), "goes with `grpc` only"),
            ("descriptors = 'shop.pb'".to_owned(), "goes with `grpc` only"),
        ] {
            let said = parse(&request).unwrap_err();
            assert!(said.contains(expected), "{request}: {said}");
        }
    }
}
