//! The content of a workload file: its tables, for reading, writing and the JSON Schema.
//!
//! `request` and `workload` of `thinktime-core` check their values.

mod breaker;
mod check;
mod clients;
mod content;
mod figure;
mod file;
mod hedge;
mod objectives;
mod request;
mod session;
mod shared;
mod tokens;

pub use breaker::BreakerTable;
pub use check::{CheckTable, CheckValue};
pub use clients::{AwsTable, ClientsTable, ConnectionsValue, Oauth2Table, RetryBudgetTable, Reuse};
pub use content::{
    FilePart, FormValue, GrpcMessage, GrpcMessages, Isolation, MessagesValue, MultipartValue,
};
pub use figure::Figure;
pub use figure::{CHECK, FIRST_EVENT, PAGE, TIMES};
pub use file::{ArrivalsTable, Model, PopulationTable, WorkloadFile};
pub use hedge::HedgeTable;
pub use objectives::{Limit as SloLimit, SloTable};
pub use request::{Cancel, ObjectsTable, RequestTable, RetryTable, RetryWhen, StreamFormat};
pub use session::{OnError, Rows, SessionTable, Start};
pub use shared::{SharedTable, SharedValue};
pub use tokens::TokensTable;
