//! The length of prompts.

use serde_json::{Map, Value};

use super::error::CompletionError;

type Counted = Result<usize, CompletionError>;

/// The words of all texts of `messages`: what white space separates.
pub(super) fn words_of_messages(body: &Map<String, Value>) -> Counted {
    let wrong = |message| CompletionError::wrong("messages", message);
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.filter(|messages| !messages.is_empty());
    let messages = messages.ok_or_else(|| wrong("must be a list of one message or more"))?;
    let mut words = 0;
    for message in messages {
        if !message.get("role").is_some_and(Value::is_string) {
            return Err(wrong("must be objects with a `role`, which is a text"));
        }
        words += match message.get("content") {
            // As of an assistant's message that calls tools.
            None | Some(Value::Null) => 0,
            Some(Value::String(text)) => words_of(text),
            Some(Value::Array(parts)) => parts.iter().map(words_of_part).sum(),
            Some(_) => {
                return Err(wrong("must have a `content` that is a text or a list of parts"));
            }
        };
    }
    Ok(words)
}

/// The words of the text `prompt`, or its tokens if it is a list of their numbers.
pub(super) fn words_of_prompt(body: &Map<String, Value>) -> Counted {
    let wrong = || CompletionError::wrong("prompt", "must be one text, or one list of tokens");
    match body.get("prompt") {
        Some(Value::String(text)) => Ok(words_of(text)),
        Some(Value::Array(parts)) => match parts.as_slice() {
            [Value::String(text)] => Ok(words_of(text)),
            [Value::Array(tokens)] => tokens_of(tokens).ok_or_else(wrong),
            tokens => tokens_of(tokens).ok_or_else(wrong),
        },
        _ => Err(wrong()),
    }
}

/// The number of a list of tokens; `None` if it is no such list.
fn tokens_of(tokens: &[Value]) -> Option<usize> {
    (!tokens.is_empty() && tokens.iter().all(Value::is_u64)).then_some(tokens.len())
}

fn words_of(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The words of a part of a message; pictures and sounds have none.
fn words_of_part(part: &Value) -> usize {
    part.get("text").and_then(Value::as_str).map_or(0, words_of)
}
