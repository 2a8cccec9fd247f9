//! One kind of request: its content, its frequency, and its retries.

use std::cmp::Reverse;
use std::sync::Arc;

use thinktime_file::error::{Invalid, own_name};
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;
use thinktime_file::workload::{Cancel, MessagesValue, RequestTable};

use super::common::Common;
use super::content::body::Body;
use super::content::grpc::{GrpcCall, metadata_of};
use super::content::header::fields_of;
use super::content::message::{Expect, Message};
use super::content::sql::Sql;
use super::content::template::Template;
use super::hedge::Hedge;
use super::method::Method;
use super::method_keys::method_and_target;
use super::objects::Objects;
use super::retry::Retry;
use super::size::Sizes;
use super::stream::StreamedResponse;
use super::target::{Closeness, Target};
use super::timeout::timeout_of;
use super::tokens::Tokens;
use super::value_use::{Contents, ValueUse};
use crate::distribution::Distribution;
use crate::files::Files;

/// A kind of request, checked.
#[derive(Clone, Debug)]
pub struct RequestKind {
    /// The name in tables and charts.
    pub name: String,
    /// The place of the population that sends it.
    pub population: u32,
    /// How often it is chosen, relative to the others; positive, or 0 for one that is only an
    /// object of pages.
    pub weight: f64,
    /// The objects of the page of which it is the base, if it is one.
    pub objects: Option<Objects>,
    /// The think time after it, if it has its own.
    pub think: Option<Distribution>,
    /// The method.
    pub method: Method,
    /// The method's word on the wire, such as `GET`.
    pub word: String,
    /// The target.
    pub target: Target,
    /// The sizes of its responses, one for each target, if they are given.
    pub size: Option<Sizes>,
    /// The tokens of its prompts and responses, if they are given.
    pub tokens: Option<Tokens>,
    /// The body; empty if there is none.
    pub body: Vec<u8>,
    /// Further header fields.
    pub headers: Vec<(String, String)>,
    /// The call of gRPC that it is, if it is one.
    pub grpc: Option<Arc<GrpcCall>>,
    /// The message of [`Method::Send`].
    pub message: Message,
    /// The statements of [`Method::Sql`], whose parameters are its messages.
    pub sql: Option<Arc<Sql>>,
    /// When its answer is complete, if the protocol does not define it.
    pub expect: Option<Expect>,
    /// The number of such messages in the answer, if it is given; at least 1.
    pub messages: Option<u32>,
    /// Whether each message is sent only after the answer to the one before.
    pub wait_for_each: bool,
    /// The events of its response, if it is a stream of them.
    pub stream: Option<StreamedResponse>,
    /// How long the client waits; never [`Nanos::ZERO`]. If `patience` is a law, its mean.
    pub timeout: Nanos,
    /// The law of the time that clients wait, if it differs from attempt to attempt.
    pub patience: Option<Distribution>,
    /// The fate of an attempt in a modelled system when the client gives it up.
    pub cancel: Cancel,
    /// Whether and when a failed attempt is repeated.
    pub retry: Retry,
    /// When copies of an attempt are sent, if they are.
    pub hedge: Option<Hedge>,
    /// Its use of the values of its session.
    pub value_use: ValueUse,
}

impl RequestKind {
    /// `GET /`, for workloads that name no requests.
    #[must_use]
    pub fn plain() -> RequestKind {
        RequestKind {
            name: "request".to_owned(),
            population: 0,
            weight: 1.0,
            objects: None,
            think: None,
            method: Method::Get,
            word: Method::Get.word().to_owned(),
            target: Target::root(),
            size: None,
            tokens: None,
            body: Vec::new(),
            headers: Vec::new(),
            grpc: None,
            message: Message::default(),
            sql: None,
            expect: None,
            messages: None,
            wait_for_each: false,
            stream: None,
            timeout: Nanos::MAX,
            patience: None,
            cancel: Cancel::Never,
            retry: Retry::never(),
            hedge: None,
            value_use: ValueUse::default(),
        }
    }

    /// The same in a workload of this seed.
    pub(crate) fn seeded(mut self, seed: u64) -> RequestKind {
        self.size = self.size.map(|sizes| sizes.seeded(seed));
        self.tokens = self.tokens.map(|tokens| tokens.seeded(seed));
        self
    }

    /// How closely a request of a log, or one that reaches a server, is of this kind: by its
    /// method, HEAD with GET, and its target; `None` if it is not.
    fn takes(&self, word: &str, target: &str) -> Option<Closeness> {
        let same = word == self.word || (word, self.method) == ("HEAD", Method::Get);
        if same && self.grpc.is_none() { self.target.fits(target) } else { None }
    }

    /// The place of the kind of a request, if it has one: the first of the closest kinds.
    pub fn place_of<'a>(
        kinds: impl IntoIterator<Item = &'a RequestKind>,
        word: &str,
        target: &str,
    ) -> Option<usize> {
        let found = kinds.into_iter().map(|kind| kind.takes(word, target)).enumerate();
        let found = found.filter_map(|(place, close)| Some((close?, Reverse(place))));
        found.max().map(|(_, Reverse(place))| place)
    }

    /// Checks a table; an error comes with the key that it is about.
    pub(crate) fn from_table(
        table: &RequestTable,
        common: Common<'_>,
    ) -> Result<RequestKind, (String, Invalid)> {
        let owned = |(key, error): (&'static str, Invalid)| (key.to_owned(), error);
        own_name(&table.name).map_err(|error| ("name".to_owned(), error))?;
        let (kind, body) = RequestKind::plainly(table, common).map_err(owned)?;
        let (_, key, target) = method_and_target(table).map_err(owned)?;
        let contents = Contents { message: &kind.message, call: kind.grpc.as_deref(), body: &body };
        let value_use = ValueUse::from_table(table, contents, (key, &target), common)?;
        let tokens = Tokens::from_table(table.tokens.as_ref(), common.files).map_err(owned)?;
        // By default an attempt that is given up is served all the same.
        let cancel = table.cancel.unwrap_or_default();
        Ok(RequestKind { tokens, cancel, value_use, ..kind })
    }

    /// The part of a table for a request without values, and its body.
    fn plainly(
        table: &RequestTable,
        common: Common<'_>,
    ) -> Result<(RequestKind, Body), (&'static str, Invalid)> {
        let (files, names) = (common.files, common.values.names.as_slice());
        let named = |key: &'static str| move |error: Invalid| (key, error);
        let (method, key, text) = method_and_target(table)?;
        http_only(table, method, key)?;
        let (timeout, patience) = timeout_of(table, files).map_err(named("timeout"))?;
        let (sql, message) = sent_of(table, names, files)?;
        let retry =
            Retry::from_table(table.retry.as_ref(), timeout, files).map_err(named("retry"))?;
        let call = GrpcCall::from_table(table, retry.deadline(timeout), common)?;
        let target = Target::parse(&text, names, files).map_err(named(key))?;
        let (headers, body) = headers_and_body(table, call.as_ref(), common)?;
        let kind = RequestKind {
            name: table.name.clone(),
            weight: weight_of(table).map_err(named("weight"))?,
            think: think_of(table, files).map_err(named("think"))?,
            method,
            word: table.method.clone().unwrap_or_else(|| method.word().to_owned()),
            size: Sizes::from_table(table, method, &target, files).map_err(named("size"))?,
            target,
            grpc: call.map(Arc::new),
            headers,
            body: body.bytes.as_fixed().unwrap_or_default(),
            message,
            sql,
            expect: expect_of(table).map_err(named("expect"))?,
            messages: messages_of(table).map_err(named("messages"))?,
            wait_for_each: wait_for_each_of(table).map_err(named("wait_for_each"))?,
            stream: StreamedResponse::from_table(table, method)?,
            timeout,
            patience,
            retry,
            hedge: Hedge::from_table(table.hedge.as_ref()).map_err(named("hedge"))?,
            ..RequestKind::plain()
        };
        Ok((kind, body))
    }
}

/// Statements with their parameters, or messages.
type Sent = (Option<Arc<Sql>>, Message);

fn sent_of(
    table: &RequestTable,
    names: &[String],
    files: &dyn Files,
) -> Result<Sent, (&'static str, Invalid)> {
    if let Some((sql, parameters)) = Sql::from_table(table, names, files)? {
        return Ok((Some(Arc::new(sql)), parameters));
    }
    Ok((None, Message::from_table(table, names, files)?.unwrap_or_default()))
}

fn weight_of(table: &RequestTable) -> Result<f64, Invalid> {
    let weight = table.weight.unwrap_or(1.0);
    let usable = weight > 0.0 && weight.is_finite();
    usable.then_some(weight).ok_or_else(|| Invalid::new(format!("must be positive, not {weight}")))
}

fn think_of(table: &RequestTable, files: &dyn Files) -> Result<Option<Distribution>, Invalid> {
    let Some(scalar) = &table.think else { return Ok(None) };
    let law = Distribution::parse(&scalar.text(), files)?;
    law.expect(Dimension::Time).map(Some)
}

fn expect_of(table: &RequestTable) -> Result<Option<Expect>, Invalid> {
    table.expect.as_deref().map(Expect::parse).transpose()
}

fn messages_of(table: &RequestTable) -> Result<Option<u32>, Invalid> {
    match table.messages {
        Some(0) => Err(Invalid::new("must be at least 1")),
        number => Ok(number),
    }
}

fn wait_for_each_of(table: &RequestTable) -> Result<bool, Invalid> {
    let several = matches!(&table.send, Some(MessagesValue::Many(list)) if list.len() > 1);
    match table.wait_for_each {
        Some(true) if !several => {
            Err(Invalid::new("goes with a list to `send`, of at least two messages"))
        }
        given => Ok(given == Some(true)),
    }
}

/// Header fields and bodies are those of requests of HTTP, and bodies only of methods that have
/// one.
fn http_only(
    table: &RequestTable,
    method: Method,
    key: &str,
) -> Result<(), (&'static str, Invalid)> {
    let of_http = method.is_http() && table.grpc.is_none();
    if !method.is_http() && !table.headers.is_empty() {
        let why = "goes with a method of HTTP only; those with which a WebSocket is opened stand \
                   under `[clients]`";
        return Err(("headers", Invalid::new(why)));
    }
    let bodied = of_http && !matches!(key, "get" | "head");
    match Body::keys(table).first() {
        Some(body) if !bodied => Err((
            body,
            Invalid::new("goes with `post`, `put`, `patch`, `delete`, `options` or `method` only"),
        )),
        _ => Ok(()),
    }
}

/// The parts of a request of HTTP besides its target.
type FieldsAndBody = (Vec<(String, String)>, Body);

fn headers_and_body(
    table: &RequestTable,
    call: Option<&GrpcCall>,
    common: Common<'_>,
) -> Result<FieldsAndBody, (&'static str, Invalid)> {
    if let Some(call) = call {
        let metadata = metadata_of(&table.headers).map_err(|error| ("headers", error))?;
        // One that varies is written for each request, and this one is not sent.
        let bytes = Template::fixed(call.fixed_body().unwrap_or_default());
        let body = Body { bytes, media_type: None };
        return Ok((call.own_headers().iter().cloned().chain(metadata).collect(), body));
    }
    let mut headers = fields_of(&table.headers).map_err(|error| ("headers", error))?;
    let body = Body::from_table(table, &common.values.names, common.files)?;
    if let Some(media_type) = &body.media_type
        && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        headers.insert(0, ("Content-Type".to_owned(), media_type.clone()));
    }
    Ok((headers, body))
}
