//! Why a simulation failed.

use thinktime_core::error::Invalid;
use thinktime_core::schema::SchemaError;
use thiserror::Error;

/// Why a simulation failed.
#[derive(Clone, Debug, Error)]
pub enum SimulationError {
    /// Workload, system or plan do not fit together; the message gives a remedy.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A changed workload cannot be built.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It was stopped before it had a result.
    #[error("interrupted")]
    Interrupted,
}
