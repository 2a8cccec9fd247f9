//! The paths of the interface.

use serde_json::json;

use super::error::CompletionError;

/// A path of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Endpoint {
    /// Messages of a conversation, to be continued.
    Chat,
    /// A text to be continued.
    Text,
    /// The list of models.
    Models,
}

impl Endpoint {
    /// That of a target, whatever its query.
    pub(in crate::server) fn of(target: &str) -> Option<Endpoint> {
        match target.split(['?', '#']).next()? {
            "/v1/chat/completions" => Some(Endpoint::Chat),
            "/v1/completions" => Some(Endpoint::Text),
            "/v1/models" => Some(Endpoint::Models),
            _ => None,
        }
    }

    /// Refuses other methods than its own.
    pub(in crate::server) fn check_method(self, method: &str) -> Result<(), CompletionError> {
        let own = if self == Endpoint::Models { "GET, HEAD" } else { "POST" };
        match own.split(", ").any(|one| one == method) {
            true => Ok(()),
            false => Err(CompletionError::method(own)),
        }
    }
}

/// The list of models of these names.
pub(in crate::server) fn models(names: &[String], created: i64) -> String {
    let owner = "thinktime";
    let model =
        |id: &String| json!({ "id": id, "object": "model", "created": created, "owned_by": owner });
    json!({ "object": "list", "data": names.iter().map(model).collect::<Vec<_>>() }).to_string()
}
