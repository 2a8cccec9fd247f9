//! Calls of gRPC: a message given as JSON, encoded as a file of descriptors says.

use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor};

use super::request_table::RequestTable;
use crate::error::{Invalid, unknown};
use crate::files::Files;

/// A call of one message that is answered by one message.
pub(super) struct GrpcCall {
    /// The target of its POST.
    pub(super) target: String,
    /// The message with its prefix.
    pub(super) body: Vec<u8>,
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
        let json = table.message.as_deref().unwrap_or("{}");
        let body = encode(&method, json).map_err(|error| ("message", error))?;
        let target = format!("/{}/{}", method.parent_service().full_name(), method.name());
        Ok(Some(GrpcCall { target, body }))
    }

    /// The fields of its head.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let field = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        [("content-type", "application/grpc"), ("te", "trailers")].map(field).to_vec()
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
    let method =
        service.methods().find(|method| method.name() == method_name).ok_or_else(|| {
            let known: Vec<String> =
                service.methods().map(|method| method.name().to_owned()).collect();
            unknown("method", method_name, known.iter().map(String::as_str))
        })?;
    if method.is_client_streaming() || method.is_server_streaming() {
        return Err(Invalid::new(format!(
            "`{name}` takes or gives a stream: only methods of one message each way can be called"
        )));
    }
    Ok(method)
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

    /// A service whose method Place takes and gives an order, and whose Watch gives a stream.
    fn descriptors() -> FileDescriptorSet {
        let field = |number, name: &str, kind: Type| FieldDescriptorProto {
            name: Some(name.to_owned()),
            number: Some(number),
            label: Some(Label::Optional.into()),
            r#type: Some(kind.into()),
            ..FieldDescriptorProto::default()
        };
        let method = |name: &str, streams| MethodDescriptorProto {
            name: Some(name.to_owned()),
            input_type: Some(".shop.Order".to_owned()),
            output_type: Some(".shop.Order".to_owned()),
            server_streaming: Some(streams),
            ..MethodDescriptorProto::default()
        };
        let order = DescriptorProto {
            name: Some("Order".to_owned()),
            field: vec![field(1, "item", Type::String), field(2, "amount", Type::Int32)],
            ..DescriptorProto::default()
        };
        let orders = ServiceDescriptorProto {
            name: Some("Orders".to_owned()),
            method: vec![method("Place", false), method("Watch", true)],
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
    fn wrong_calls_are_explained() {
        let place = "grpc = 'shop.Orders/Place'\ndescriptors = 'shop.pb'";
        for (request, expected) in [
            ("grpc = 'shop.Orders/Place'".to_owned(), "needs `descriptors`"),
            ("grpc = 'Place'\ndescriptors = 'shop.pb'".to_owned(), "a method is written as"),
            (place.replace("Orders", "Order"), "did you mean `shop.Orders`?"),
            (place.replace("Place", "Pace"), "did you mean `Place`?"),
            (place.replace("Place", "Watch"), "takes or gives a stream"),
            (place.replace("shop.pb", "other.pb"), "holds no descriptors"),
            (format!("{place}\nmessage = '{{\"price\": 1}}'"), "request[1].message: is no `shop."),
            (format!("{place}\nmessage = '{{'"), "is no `shop.Order` in JSON"),
            (format!("{place}\nmessage = '{{}} 7'"), "is no `shop.Order` in JSON"),
            (format!("{place}\nbody = 'x'"), "goes with `post`, `put`, `patch`"),
            (format!("{place}\nget = '/'"), "a request has one method"),
            ("message = '{}'".to_owned(), "goes with `grpc` only"),
            ("descriptors = 'shop.pb'".to_owned(), "goes with `grpc` only"),
        ] {
            let said = parse(&request).unwrap_err();
            assert!(said.contains(expected), "{request}: {said}");
        }
    }
}
