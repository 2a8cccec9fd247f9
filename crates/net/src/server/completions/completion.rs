//! An answer, written as far as its tokens are there.

use std::fmt::Write;

use serde_json::json;
use thinktime_core::attempt::TokenCounts;
use thinktime_core::request::word_at;

use super::endpoint::Endpoint;
use super::error::CompletionError;
use super::request::CompletionRequest;
use crate::protocol::Outbox;
use crate::protocol::http1::{write_response_head, write_stream_head};

/// The completion that answers a request.
#[derive(Debug)]
pub(in crate::server) struct Completion {
    /// Whether it continues a conversation.
    chat: bool,
    stream: bool,
    with_usage: bool,
    /// Whether the client knows chunks.
    chunks: bool,
    /// The number of its text.
    text: u64,
    /// The beginning of each event, and of a whole answer.
    head: String,
    tokens: TokenCounts,
    /// The reason of its end.
    end: &'static str,
    /// The tokens that the model has given, and those that are written.
    given: u32,
    written: u32,
    begun: bool,
}

/// What a completion has of its own.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct Identity {
    /// Its number among those of the server, from 1.
    pub(in crate::server) number: u64,
    /// The date, in seconds since 1970.
    pub(in crate::server) created: i64,
    /// Whether the client knows chunks.
    pub(in crate::server) chunks: bool,
}

/// How a request has ended, and how its answer is framed.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct AnswerState<'a> {
    /// The status; `None` while the model works for it.
    pub(in crate::server) status: Option<u16>,
    /// Whether the connection stays.
    pub(in crate::server) keep_alive: bool,
    /// A header field of a whole answer.
    pub(in crate::server) fields: &'a [(&'a str, &'a str)],
}

/// Tokens are written while less than this waits for the client; the others follow when it reads.
const WAITING_MAX: usize = 64 << 10;

impl Completion {
    pub(in crate::server) fn new(
        endpoint: Endpoint,
        request: &CompletionRequest,
        drawn: Option<TokenCounts>,
        Identity { number, created, chunks }: Identity,
    ) -> Completion {
        let chat = endpoint == Endpoint::Chat;
        let (tokens, end) = request.tokens(drawn);
        let CompletionRequest { ref model, stream, with_usage, .. } = *request;
        let (prefix, object) = match (chat, stream) {
            (true, true) => ("chatcmpl", "chat.completion.chunk"),
            (true, false) => ("chatcmpl", "chat.completion"),
            (false, _) => ("cmpl", "text_completion"),
        };
        let head = format!(
            r#"{{"id":"{prefix}-{number}","object":"{object}","created":{created},"model":{model},"#
        );
        let (given, written, begun) = (0, 0, false);
        let text = number;
        Completion {
            chat,
            stream,
            with_usage,
            chunks,
            text,
            head,
            tokens,
            end,
            given,
            written,
            begun,
        }
    }

    /// Its tokens.
    pub(in crate::server) fn tokens(&self) -> TokenCounts {
        self.tokens
    }

    /// The model has given it one more.
    pub(in crate::server) fn give(&mut self) {
        self.given += 1;
    }

    /// Writes what can be written now; says whether that was the last of it.
    pub(in crate::server) fn write(&mut self, out: &mut Outbox, state: AnswerState<'_>) -> bool {
        let AnswerState { status, keep_alive, .. } = state;
        match status {
            Some(status) if status != 200 && !self.begun => {
                self.write_error(out.buffer(), status, keep_alive);
                true
            }
            _ if self.stream => self.write_events(out, status, keep_alive),
            Some(_) if out.unsent().len() < WAITING_MAX => {
                self.write_whole(out.buffer(), state);
                true
            }
            _ => false,
        }
    }

    /// The request that never fits is the only one that a server of tokens refuses.
    fn error(&self, status: u16) -> CompletionError {
        let TokenCounts { prompt, output } = self.tokens;
        CompletionError::new(
            status,
            format!(
                "refused: a prompt of {prompt} tokens and a response of {output} do not fit into \
                 the memory of the server together, or another part of it turned the request away"
            ),
        )
    }

    fn write_error(&self, out: &mut Vec<u8>, status: u16, keep_alive: bool) {
        let said = self.error(status).to_json();
        let fields = [("Content-Type", "application/json")];
        write_response_head(out, status, &fields, said.len(), keep_alive);
        out.extend_from_slice(said.as_bytes());
    }

    fn write_whole(&self, out: &mut Vec<u8>, state: AnswerState<'_>) {
        let mut text = String::new();
        for place in 0..self.given {
            text.push_str(if place > 0 { " " } else { "" });
            text.push_str(word_at(self.text, place));
        }
        let content = match self.chat {
            true => {
                format!(r#""message":{{"role":"assistant","content":"{text}","refusal":null}}"#)
            }
            false => format!(r#""text":"{text}""#),
        };
        let (choices, usage) = (self.choices(&content, true), self.usage());
        let whole = format!(r#"{choices},"usage":{usage}}}"#);
        let mut fields = vec![("Content-Type", "application/json")];
        fields.extend_from_slice(state.fields);
        write_response_head(out, 200, &fields, whole.len(), state.keep_alive);
        out.extend_from_slice(whole.as_bytes());
    }

    /// Writes the events that were given and are not written; says whether it was the last.
    fn write_events(&mut self, out: &mut Outbox, status: Option<u16>, keep_alive: bool) -> bool {
        if !self.begun && (self.given > 0 || status.is_some()) {
            let fields = [
                ("Content-Type", "text/event-stream; charset=utf-8"),
                ("Cache-Control", "no-cache"),
            ];
            write_stream_head(out.buffer(), &fields, self.chunks, keep_alive);
            self.begun = true;
        }
        while self.written < self.given {
            if out.unsent().len() >= WAITING_MAX {
                return false;
            }
            let token = self.token(self.written);
            self.write_event(out.buffer(), &token);
            self.written += 1;
        }
        match status {
            None => return false,
            Some(200) => {
                if self.with_usage {
                    let usage = format!(r#"{}"choices":[],"usage":{}}}"#, self.head, self.usage());
                    self.write_event(out.buffer(), &usage);
                }
                self.write_event(out.buffer(), "[DONE]");
            }
            Some(status) => self.write_event(out.buffer(), &self.error(status).to_json()),
        }
        if self.chunks {
            out.buffer().extend_from_slice(b"0\r\n\r\n");
        }
        true
    }

    /// The event of the token at a place.
    fn token(&self, place: u32) -> String {
        let (blank, word) = (if place > 0 { " " } else { "" }, word_at(self.text, place));
        let content = match (self.chat, place) {
            (true, 0) => format!(r#""delta":{{"role":"assistant","content":"{word}"}}"#),
            (true, _) => format!(r#""delta":{{"content":"{blank}{word}"}}"#),
            (false, _) => format!(r#""text":"{blank}{word}""#),
        };
        let choices = self.choices(&content, place + 1 == self.tokens.output);
        let usage = if self.with_usage { r#","usage":null"# } else { "" };
        format!("{choices}{usage}}}")
    }

    /// The beginning of an object, to its only choice.
    fn choices(&self, content: &str, is_last: bool) -> String {
        let end = match is_last {
            true => format!("\"{}\"", self.end),
            false => "null".to_owned(),
        };
        let choice = format!(r#"{{"index":0,{content},"logprobs":null,"finish_reason":{end}}}"#);
        format!(r#"{}"choices":[{choice}]"#, self.head)
    }

    fn write_event(&self, out: &mut Vec<u8>, data: &str) {
        let mut event = String::with_capacity(data.len() + 32);
        // Writing to a text cannot fail.
        let _ = match self.chunks {
            // The data, its name before it, and the blank line behind it.
            true => write!(event, "{:x}\r\ndata: {data}\n\n\r\n", data.len() + 8),
            false => write!(event, "data: {data}\n\n"),
        };
        out.extend_from_slice(event.as_bytes());
    }

    fn usage(&self) -> serde_json::Value {
        let (prompt, output) = (u64::from(self.tokens.prompt), u64::from(self.given));
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
        })
    }
}
