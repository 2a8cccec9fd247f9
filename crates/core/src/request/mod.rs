//! Requests: their content, the expected answers, and the handling of failures.

mod call;
mod common;
mod content;
mod kind;
mod method;
mod method_keys;
mod objects;
mod response;
mod retry;
mod size;
mod target;
mod value_names;
mod value_use;
mod writing;

pub use call::{Call, MessageOf, SqlCall};
pub(crate) use common::Common;
pub use content::form::form_field;
pub use content::grpc::GrpcCall;
pub use content::header::header_field;
pub(crate) use content::header::{fields_of, is_token};
pub use content::message::{Expect, Message};
pub(crate) use content::sql::Keyed;
pub use content::sql::{Sql, Statement};
pub use content::template::Unwritten;
pub use kind::RequestKind;
pub use method::Method;
pub use objects::Objects;
pub use response::check::ResponseCheck;
pub use response::lookup::{Json, Lookup, Reads, Response, header_values};
pub use response::pattern::{Pattern, Search, Searcher};
pub use retry::{Cause, Retry};
pub use size::Sizes;
pub(crate) use target::Varying;
pub use target::{Target, target_key};
pub use value_names::ValueNames;
pub use value_use::ValueUse;
