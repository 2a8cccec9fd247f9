//! The use that a request makes of its session's values: it contains them, takes them from its
//! response, and has the response checked.

use std::collections::BTreeMap;

use thinktime_file::error::Invalid;
use thinktime_file::workload::{CheckValue, RequestTable};

use super::call::{Call, MessageOf};
use super::content::body::Body;
use super::content::grpc;
use super::content::message::write_all;
use super::content::template::{Place, Template, Unwritten};
use super::kind::RequestKind;
use super::response::check::ResponseCheck;
use super::response::lookup::{Lookup, Reads};
use super::value_names::ValueNames;
use crate::files::Files;
use crate::random::Stream;

/// The use that a kind of request makes of values.
#[derive(Clone, Debug, Default)]
pub struct ValueUse {
    /// Its parts, if draws or values stand outside its target too.
    composed: Option<Composition>,
    /// The values taken from its responses: the place of the name, and the lookup.
    pub takes: Vec<(usize, Lookup)>,
    /// The checks of its responses.
    pub checks: Vec<ResponseCheck>,
}

/// A request with places that vary.
#[derive(Clone, Debug, Default)]
struct Composition {
    target: Template,
    headers: Vec<Field>,
    /// The body, or messages one after another, except those of gRPC.
    body: Vec<Template>,
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    value: Template,
    /// Whether it is left out as long as a value of it is missing.
    optional: bool,
}

impl Field {
    fn fixed(name: &str, value: String) -> Field {
        let value = Template::fixed(value.into_bytes());
        Field { name: name.to_owned(), value, optional: false }
    }
}

/// The common properties of a population's sessions, for their requests.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    /// Header fields of all requests that have no field of that name.
    pub(crate) headers: &'a BTreeMap<String, String>,
    /// The names of their values.
    pub(crate) values: &'a ValueNames,
    pub(crate) files: &'a dyn Files,
}

impl Common<'_> {
    /// Whether the text of a header field contains draws or values.
    ///
    /// # Errors
    /// When there is a mistake in one.
    pub(crate) fn varies(&self, text: &str) -> Result<bool, Invalid> {
        Ok(self.field("", text)?.value.as_fixed().is_none())
    }

    fn field(&self, name: &str, text: &str) -> Result<Field, Invalid> {
        let value = Template::parse(text, Place::Header, &self.values.names, self.files)?;
        Ok(Field { name: name.to_owned(), value, optional: false })
    }
}

impl ValueUse {
    /// Checks the table of a request of this `kind`, with this body, and its target by this key; an
    /// error comes with its key.
    pub(crate) fn from_table(
        table: &RequestTable,
        kind: &RequestKind,
        body: &Body,
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
        let composed = Composition::from_table(table, kind, body, target, common)
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
        kind: &RequestKind,
        body: &Body,
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
        let sent = kind.message.templates();
        let called = kind.grpc.as_ref();
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
        let of_grpc = called.map_or(Vec::new(), |_| grpc::headers());
        let of_grpc = of_grpc.into_iter().map(|(name, value)| Field::fixed(&name, value));
        headers.splice(..0, of_grpc.chain(own_type));
        let body = if sent.is_empty() { vec![body.bytes.clone()] } else { sent.to_vec() };
        Ok(Some(Composition { target, headers, body }))
    }
}

impl RequestKind {
    /// The request of a session, if it contains draws or the session's values: draws from `stream`,
    /// values by their places.
    ///
    /// # Errors
    /// When a value is missing, or does not fit in its place.
    pub fn call<'v>(
        &self,
        stream: &mut Stream,
        value: &impl Fn(usize) -> Option<&'v [u8]>,
    ) -> Option<Result<Call, Unwritten>> {
        self.value_use.composed.as_ref().map(|composed| {
            let mut target = Vec::new();
            composed.target.write(&mut target, stream, value)?;
            let mut headers = Vec::with_capacity(composed.headers.len());
            for field in &composed.headers {
                let mut bytes = Vec::new();
                match field.value.write(&mut bytes, stream, value) {
                    Err(Unwritten::Missing(_)) if field.optional => continue,
                    written => written?,
                }
                let text = String::from_utf8(bytes).map_err(|_| Unwritten::Unfit)?;
                headers.push((field.name.clone(), text));
            }
            let (mut body, mut cuts) = (Vec::new(), Vec::new());
            match &self.grpc {
                Some(call) => call.write(&mut body, stream, value)?,
                None => write_all(&composed.body, &mut body, &mut cuts, stream, value)?,
            }
            let target = String::from_utf8(target).map_err(|_| Unwritten::Unfit)?;
            if self.method.is_http() && !target.starts_with('/') {
                return Err(Unwritten::Unfit);
            }
            let (method, binary) = (self.method, self.message.binary);
            let grpc = self.grpc.as_ref().map(|_| MessageOf::Workload);
            let (expect, sql) = (None, None);
            Ok(Call { method, target, headers, body, cuts, binary, expect, grpc, sql })
        })
    }
}
