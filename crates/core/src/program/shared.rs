//! What programs ask of variables that are kept outside of their process, and what they are told.

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

/// What a session asks of whoever keeps the variables that all share.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedRequest {
    /// The session.
    pub slot: usize,
    /// What it asks for.
    pub operation: SharedOperation,
}

/// What can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedOperation {
    /// The value of the variable of this name.
    Get(String),
    /// To set it; nothing removes it.
    Put(String, Option<Shared>),
    /// To add to a number, which is 0 where there is none.
    Add(String, f64),
    /// To have the lock of this name; among those who wait the smallest priority goes first, then
    /// first come, first served.
    Lock(String, f64),
    /// To give it back.
    Unlock(String),
    /// Nothing any more: the session has left, or a child of it; all its locks are given back, and
    /// it waits for no answer.
    Leave,
}

/// What a session is told.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedAnswer {
    /// The value of a variable, if it has one; of [`SharedOperation::Add`] the sum.
    Value(Option<Shared>),
    /// It has the lock, with this token: each time that a lock is given, it is with a larger one.
    Token(u64),
    /// It is done.
    Done,
    /// It cannot be done.
    Failed(SharedFailure),
}

/// Why something cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedFailure {
    /// Only numbers are added to.
    NoNumber,
    /// The session has the lock already.
    Held,
    /// The session has no such lock.
    NotHeld,
    /// The session had this lock, but was not heard of for so long that it was given to another.
    Lost(String),
    /// Nobody answers; with what is known of it.
    Unavailable(String),
}

impl SharedFailure {
    /// The failure in words, when it comes of something with the variable or lock `name`.
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
