//! The body of a request for a completion.

use serde_json::{Map, Value};
use thinktime_core::attempt::TokenCounts;

use super::endpoint::Endpoint;
use super::error::CompletionError;
use super::prompt::{words_of_messages, words_of_prompt};

/// The most tokens of a response that a request may ask for.
pub(in crate::server) const OUTPUT_MAX: u32 = 1 << 20;
/// The tokens of a response if neither the request nor a workload says how many.
const OUTPUT_DEFAULT: u32 = 128;
/// The longest name of a model in bytes: each event repeats it.
const MODEL_BYTES_MAX: usize = 256;

/// A request for a completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server) struct CompletionRequest {
    /// The name of its model, as JSON.
    pub(super) model: String,
    pub(super) stream: bool,
    /// Whether a stream ends with the numbers of tokens.
    pub(super) with_usage: bool,
    /// The words of the prompt, at least 1.
    prompt: u32,
    /// The most tokens of the response.
    limit: Option<u32>,
}

impl CompletionRequest {
    /// Reads the body of a request at this endpoint.
    pub(in crate::server) fn read(
        endpoint: Endpoint,
        body: &[u8],
    ) -> Result<CompletionRequest, CompletionError> {
        let read = serde_json::from_slice(body);
        let read = read.map_err(|error| format!("the body is not an object of JSON: {error}"));
        let body: Map<String, Value> = read.map_err(|text| CompletionError::new(400, text))?;
        let model = body.get("model").and_then(Value::as_str);
        let model = model.filter(|name| !name.is_empty() && name.len() <= MODEL_BYTES_MAX);
        let model = model.ok_or_else(|| {
            CompletionError::wrong("model", "must be a text of 1 to 256 bytes, as in \"small\"")
        })?;
        let words = match endpoint {
            Endpoint::Chat => words_of_messages(&body)?,
            Endpoint::Text | Endpoint::Models => words_of_prompt(&body)?,
        };
        for key in ["n", "best_of"] {
            if body.get(key).is_some_and(|value| !value.is_null() && value.as_u64() != Some(1)) {
                return Err(CompletionError::wrong(key, "must be 1"));
            }
        }
        let stream = flag(&body, "stream")?;
        Ok(CompletionRequest {
            model: Value::from(model).to_string(),
            stream,
            with_usage: usage_wanted(&body, stream)?,
            prompt: u32::try_from(words).unwrap_or(u32::MAX).max(1),
            limit: output_limit(&body)?,
        })
    }

    /// Whether the answer is a stream of events.
    pub(in crate::server) fn is_stream(&self) -> bool {
        self.stream
    }

    /// The tokens of prompt and response, and the reason why the response ends: those drawn, if a
    /// workload has laws for them.
    pub(in crate::server) fn tokens(
        &self,
        drawn: Option<TokenCounts>,
    ) -> (TokenCounts, &'static str) {
        let wanted = drawn.map(|tokens| tokens.output);
        let output = match (wanted, self.limit) {
            (None, Some(limit)) => limit,
            (wanted, limit) => wanted.unwrap_or(OUTPUT_DEFAULT).min(limit.unwrap_or(u32::MAX)),
        };
        let whole = match self.limit {
            Some(_) => wanted.is_some_and(|wanted| wanted <= output),
            None => true,
        };
        let prompt = drawn.map_or(self.prompt, |tokens| tokens.prompt);
        (TokenCounts { prompt, output }, if whole { "stop" } else { "length" })
    }
}

/// A key that is true or false; false if it is left out.
fn flag(body: &Map<String, Value>, key: &'static str) -> Result<bool, CompletionError> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(CompletionError::wrong(key, "must be true or false")),
    }
}

/// Whether `stream_options` has `include_usage`.
fn usage_wanted(body: &Map<String, Value>, stream: bool) -> Result<bool, CompletionError> {
    let key = "stream_options";
    match body.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(_) if !stream => {
            Err(CompletionError::wrong(key, "goes with `stream`: true, or is left out"))
        }
        Some(Value::Object(options)) => flag(options, "include_usage"),
        Some(_) => Err(CompletionError::wrong(key, "must be an object")),
    }
}

/// The most tokens of the response, if the body says so.
fn output_limit(body: &Map<String, Value>) -> Result<Option<u32>, CompletionError> {
    for key in ["max_completion_tokens", "max_tokens"] {
        let Some(value) = body.get(key).filter(|value| !value.is_null()) else { continue };
        let limit = value.as_u64().and_then(|limit| u32::try_from(limit).ok());
        let limit = limit.filter(|limit| (1..=OUTPUT_MAX).contains(limit));
        let message = "must be a whole number from 1 to 1,048,576";
        return limit.map(Some).ok_or_else(|| CompletionError::wrong(key, message));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(endpoint: Endpoint, body: &str) -> Result<CompletionRequest, CompletionError> {
        CompletionRequest::read(endpoint, body.as_bytes())
    }

    #[test]
    fn prompts_are_counted_by_words() {
        for (number, messages) in [
            (3, r#"[{"role": "user", "content": " one  two\nthree "}]"#),
            (5, r#"[{"role": "system", "content": "a b"}, {"role": "user", "content": "c d e"}]"#),
            (2, r#"[{"role": "user", "content": [{"type": "text", "text": "a b"}, {"x": 1}]}]"#),
            (1, r#"[{"role": "assistant", "content": null}]"#),
            (1, r#"[{"role": "user", "content": ""}]"#),
        ] {
            let body = format!(r#"{{"model": "m", "messages": {messages}}}"#);
            let found = read(Endpoint::Chat, &body).unwrap();
            assert_eq!(found.tokens(None).0, TokenCounts { prompt: number, output: 128 }, "{body}");
        }
        let prompts = [(2, r#""a b""#), (3, r#"["a b c"]"#), (4, "[7, 8, 9, 10]"), (2, "[[7, 8]]")];
        for (number, prompt) in prompts {
            let body = format!(r#"{{"model": "m", "prompt": {prompt}, "max_tokens": 5}}"#);
            let found = read(Endpoint::Text, &body).unwrap();
            assert_eq!(found.tokens(None).0, TokenCounts { prompt: number, output: 5 }, "{body}");
        }
    }

    #[test]
    fn a_response_ends_by_itself_or_at_its_limit() {
        let ended = |keys: &str, drawn: Option<u32>| {
            let body = format!(r#"{{"model": "m", "prompt": "a b"{keys}}}"#);
            let drawn = drawn.map(|output| TokenCounts { prompt: 9, output });
            let (tokens, end) = read(Endpoint::Text, &body).unwrap().tokens(drawn);
            (tokens.prompt, tokens.output, end)
        };
        assert_eq!(ended("", None), (2, 128, "stop"));
        assert_eq!(ended(r#", "max_tokens": 200"#, None), (2, 200, "length"));
        assert_eq!(ended(r#", "max_tokens": null"#, Some(30)), (9, 30, "stop"));
        assert_eq!(ended(r#", "max_tokens": 20"#, Some(30)), (9, 20, "length"));
        assert_eq!(ended(r#", "max_tokens": 30"#, Some(30)), (9, 30, "stop"));
        assert_eq!(ended(r#", "max_tokens": 4, "max_completion_tokens": 5"#, None).1, 5);
    }

    #[test]
    fn wrong_bodies_are_named() {
        let text = |keys: &str| format!(r#"{{"model": "m", "prompt": "a"{keys}}}"#);
        for (endpoint, body, key) in [
            (Endpoint::Chat, "{", ""),
            (Endpoint::Chat, "[]", ""),
            (Endpoint::Chat, "\"\\ud800\"", ""),
            (Endpoint::Chat, "{}", "model"),
            (Endpoint::Chat, r#"{"model": 7, "messages": []}"#, "model"),
            (Endpoint::Chat, r#"{"model": "m"}"#, "messages"),
            (Endpoint::Chat, r#"{"model": "m", "messages": []}"#, "messages"),
            (Endpoint::Chat, r#"{"model": "m", "messages": ["a"]}"#, "messages"),
            (Endpoint::Text, r#"{"model": "m"}"#, "prompt"),
            (Endpoint::Text, r#"{"model": "m", "prompt": ["a", "b"]}"#, "prompt"),
            (Endpoint::Text, r#"{"model": "m", "prompt": [1, "b"]}"#, "prompt"),
            (Endpoint::Text, &text(r#", "stream": "yes""#), "stream"),
            (Endpoint::Text, &text(r#", "n": 2"#), "n"),
            (Endpoint::Text, &text(r#", "max_tokens": 0"#), "max_tokens"),
            (Endpoint::Text, &text(r#", "max_tokens": 1048577"#), "max_tokens"),
            (Endpoint::Text, &text(r#", "stream_options": {}"#), "stream_options"),
        ] {
            let error = read(endpoint, body).unwrap_err();
            assert_eq!(error.status, 400, "{body}");
            let found: Value = serde_json::from_str(&error.to_json()).unwrap();
            let named = found["error"]["param"].as_str().unwrap_or("");
            assert_eq!(named, key, "{body}: {found}");
        }
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(Endpoint::Chat, &deep).unwrap_err().status, 400);
    }
}
