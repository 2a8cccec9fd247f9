//! Completions: the requests and answers of servers of tokens, in the form of OpenAI's interface
//! (<https://platform.openai.com/docs/api-reference/chat>, and the pages beside it).
//!
//! Nothing here knows the model: it gives the number of tokens so far, and a completion is written
//! as far as that. Each token is one common English word, and one event of a streamed answer. The
//! first event names the role, and the last one the reason of the end, so that a client that counts
//! events counts tokens.

mod completion;
mod endpoint;
mod error;
mod prompt;
mod request;

pub(super) use completion::{AnswerState, Completion, Identity};
pub(super) use endpoint::{Endpoint, models};
pub(super) use error::CompletionError;
pub(super) use request::{CompletionRequest, OUTPUT_MAX};
