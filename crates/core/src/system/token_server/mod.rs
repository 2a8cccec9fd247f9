//! A server of tokens: a server of a language model, which batches by iteration.
//!
//! It works in steps, as Orca (Yu et al., OSDI 2022), vLLM (Kwon et al., SOSP 2023) and, with
//! prompts in pieces, Sarathi-Serve (Agrawal et al., OSDI 2024) do. Between two steps requests come
//! and go.
//! A request is admitted in the order of arrival, if there is a place and its prompt fits into the
//! memory. It is in the steps that read its prompt; the last of them, and each later one, gives it
//! one token, which takes memory from the next step on. If the memory is full, the request that was
//! admitted last loses its own, and goes to the head of the line: its prompt and its tokens so far
//! are then read anew (preemption by recomputation).

mod course;
mod figures;
mod model;
mod node;
mod summary;
#[cfg(test)]
mod tests;

pub use model::{Steps, TokenServerModel};
pub(super) use node::TokenServer;
pub use summary::TokenServerSummary;
