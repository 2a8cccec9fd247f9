//! The use that a request makes of its session's values: it contains them, takes them from its
//! response, and has the response checked.

use thinktime_file::error::Invalid;
use thinktime_file::workload::{CheckValue, RequestTable};

use super::common::{Common, Field};
use super::content::body::Body;
use super::content::grpc::GrpcCall;
use super::content::message::Message;
use super::content::template::Template;
use super::response::check::ResponseCheck;
use super::response::lookup::{Lookup, Reads};

/// The use that a kind of request makes of values.
#[derive(Clone, Debug, Default)]
pub struct ValueUse {
    /// Its parts, if draws or values stand outside its target too.
    pub(super) composed: Option<Composition>,
    /// The values taken from its responses: the place of the name, and the lookup.
    pub takes: Vec<(usize, Lookup)>,
    /// The checks of its responses.
    pub checks: Vec<ResponseCheck>,
}

/// A request with places that vary.
#[derive(Clone, Debug, Default)]
pub(super) struct Composition {
    pub(super) target: Template,
    pub(super) headers: Vec<Field>,
    /// The body, or messages one after another, except those of gRPC.
    pub(super) body: Vec<Template>,
}

/// What a request brings besides its target and header fields.
#[derive(Clone, Copy)]
pub(super) struct Contents<'a> {
    pub(super) message: &'a Message,
    pub(super) call: Option<&'a GrpcCall>,
    pub(super) body: &'a Body,
}

impl ValueUse {
    /// Checks the table of a request with these contents, and its target by this key; an error
    /// comes with its key.
    pub(super) fn from_table(
        table: &RequestTable,
        contents: Contents<'_>,
        target: (&'static str, &str),
        common: Common<'_>,
    ) -> Result<ValueUse, (String, Invalid)> {
        let take = |(name, text): (&String, &String)| {
            let mut names = common.values.names.iter();
            let place = names.position(|other| other == name).expect("values are named first");
            let lookup = Lookup::parse(text).map_err(|error| (format!("take.{name}"), error))?;
            Ok((place, lookup))
        };
        let check = |(name, value): (&String, &CheckValue)| {
            ResponseCheck::from_value(name, value)
                .map_err(|(key, error)| (format!("checks.{name}{key}"), error))
        };
        let composed = Composition::from_table(table, contents, target, common)
            .map_err(|(key, error)| (key.to_owned(), error))?;
        Ok(ValueUse {
            composed,
            takes: table.take.iter().map(take).collect::<Result<_, _>>()?,
            checks: table.checks.iter().map(check).collect::<Result<_, _>>()?,
        })
    }

    /// The part of responses that must be kept.
    #[must_use]
    pub fn reads(&self) -> Reads {
        let lookups = self.takes.iter().map(|(_, lookup)| lookup);
        let all = lookups.chain(self.checks.iter().map(|check| &check.of));
        all.map(Lookup::reads).max().unwrap_or_default()
    }

    /// Whether it makes no use of them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.composed.is_none() && self.takes.is_empty() && self.checks.is_empty()
    }
}

impl Composition {
    /// The parts of a request, if something varies in it that a plain one cannot hold.
    fn from_table(
        table: &RequestTable,
        contents: Contents<'_>,
        (key, target): (&'static str, &str),
        common: Common<'_>,
    ) -> Result<Option<Composition>, (&'static str, Invalid)> {
        let fields = |(name, text): (&String, &String)| common.field(name, text);
        let own = table.headers.iter().map(fields).collect::<Result<Vec<_>, _>>();
        let mut headers = own.map_err(|error| ("headers", error))?;
        let has = |name: &str| table.headers.keys().any(|own| own.eq_ignore_ascii_case(name));
        for (name, text) in common.headers.iter().filter(|(name, _)| !has(name)) {
            // An error there is reported for the clients' table.
            let field = common.field(name, text).ok();
            let varying = field.filter(|field| field.value.as_fixed().is_none());
            headers.extend(varying.map(|field| Field { optional: true, ..field }));
        }
        let target = Template::parse_target(target, &common.values.names, common.files)
            .map_err(|error| (key, error))?;
        let Contents { message, call: called, body } = contents;
        let sent = message.templates();
        if !target.has_values()
            && !sent.iter().any(Template::has_values)
            && body.bytes.as_fixed().is_some()
            && called.is_none_or(|call| call.fixed_body().is_some())
            && headers.iter().all(|field| field.value.as_fixed().is_some())
        {
            return Ok(None);
        }
        let own_type = body.media_type.clone().filter(|_| !has("content-type"));
        let own_type = own_type.map(|media_type| Field::fixed("Content-Type", media_type));
        let of_grpc = called.map_or(&[][..], GrpcCall::own_headers);
        let of_grpc = of_grpc.iter().map(|(name, value)| Field::fixed(name, value.clone()));
        headers.splice(..0, of_grpc.chain(own_type));
        let body = if sent.is_empty() { vec![body.bytes.clone()] } else { sent.to_vec() };
        Ok(Some(Composition { target, headers, body }))
    }
}
