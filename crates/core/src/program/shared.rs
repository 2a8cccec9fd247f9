//! The requests of programs for variables that are kept outside of their process, and the answers.

/// The value of a shared variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Shared {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(f64),
    /// Text, or any bytes.
    Text(Vec<u8>),
}

/// A session's request to the keeper of the shared variables.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedRequest {
    /// The session.
    pub slot: usize,
    /// The operation.
    pub operation: SharedOperation,
}

/// The operations.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedOperation {
    /// The value of the variable of this name.
    Get(String),
    /// Set it; `None` removes it.
    Put(String, Option<Shared>),
    /// Add to a number, which is 0 if it does not exist.
    Add(String, f64),
    /// Take the lock of this name. Among those that wait the smallest priority goes first, then
    /// first come, first served.
    Lock(String, f64),
    /// Give it back.
    Unlock(String),
    /// The session has left, or a child of it. All its locks are given back, and it waits for no
    /// answer.
    Leave,
}

/// The answer to a session.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedAnswer {
    /// The value of a variable, if it has one; for [`SharedOperation::Add`] the sum.
    Value(Option<Shared>),
    /// The session has the lock, with this token: each grant of a lock has a larger one.
    Token(u64),
    /// It is done.
    Done,
    /// It failed.
    Failed(SharedFailure),
}

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedFailure {
    /// Only numbers are added to.
    NoNumber,
    /// The session has the lock already.
    Held,
    /// The session has no such lock.
    NotHeld,
    /// The session had this lock, but was silent for so long that the lock was given to another.
    Lost(String),
    /// The keeper does not answer; with the known cause.
    Unavailable(String),
}

impl SharedFailure {
    /// The failure in words, for an operation on the variable or lock `name`.
    #[must_use]
    pub fn words(&self, name: &str) -> String {
        match self {
            SharedFailure::NoNumber => format!("the shared variable `{name}` is no number"),
            SharedFailure::Held => format!("the client has the lock `{name}` already"),
            SharedFailure::NotHeld => format!("the client has no lock `{name}`"),
            SharedFailure::Lost(lock) => {
                format!("shared_lock_lost: the client's lock `{lock}` is no longer its own")
            }
            SharedFailure::Unavailable(why) => format!("shared_unavailable: {why}"),
        }
    }
}
