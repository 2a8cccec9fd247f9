//! PostgreSQL (its frontend/backend protocol, version 3) for a client of prepared statements.
//!
//! A [`Client`] is one end of one connection: it logs in, and then runs one statement at a time. It
//! writes into a buffer of the caller's and is fed all arrived bytes, in pieces of any size; the
//! cuts never change the result. Rows are counted and skipped, unless the caller reads them; each
//! buffer of a message has a limit. The crate `postgres-protocol` makes and reads messages, except
//! for their frames, which are bounded here, and for the one byte that ends each answer.
//!
//! After a [`PostgresError`] the connection is unusable.
//!
//! The inside, from the bytes up: `frames` cuts bytes into messages, `login` is the dialogue before
//! the first statement, `rows` makes JSON of rows, `exchange` is the statement under way with its
//! answer, and `client` joins them.

mod client;
mod event;
mod exchange;
mod frames;
mod login;
mod rows;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use event::{Event, StatementId};
pub use login::Login;
pub use rows::Rows;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorFields;
use thinktime_core::failure::{Word, made_word};

use super::RepliesUnread;

/// The longest message that is read, in bytes.
pub const HELD_BYTES_MAX: usize = 1 << 20;
/// The longest accepted message, in bytes: PostgreSQL's own limit.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 30;

/// The errors that make a connection unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PostgresError {
    /// The server ended the connection, or refused it, for this reason.
    #[error("the server ends the connection: SQLSTATE {0}")]
    Fatal(SqlState),
    /// A message at a forbidden place, or with forbidden content.
    #[error("a message breaks the protocol's rules")]
    Malformed,
    /// A message is longer than allowed.
    #[error("a message is too long")]
    TooLarge,
    /// The server requires a password, and there is none.
    #[error("the server wants a password")]
    PasswordMissing,
    /// It requires another proof than a password by SCRAM-SHA-256, MD5 or plain; or does not prove
    /// that it knows the password.
    #[error("the server and the client cannot authenticate each other")]
    Authentication,
    /// A statement needs something impossible here: data that the client copies to it.
    #[error("COPY FROM STDIN is not possible")]
    Copy,
    /// Too many replies waited for a server that does not read them.
    #[error("the server does not read the replies that it asks for")]
    RepliesUnread,
}

impl PostgresError {
    /// A short name that stays the same between versions, by which errors are counted.
    #[must_use]
    pub fn kind(self) -> Word {
        match self {
            Self::Fatal(state) => state.word(),
            Self::Malformed => "postgresql_malformed",
            Self::TooLarge => "postgresql_too_large",
            Self::PasswordMissing => "password_missing",
            Self::Authentication => "postgresql_authentication",
            Self::Copy => "postgresql_copy",
            Self::RepliesUnread => RepliesUnread::KIND,
        }
    }
}

impl From<RepliesUnread> for PostgresError {
    fn from(_: RepliesUnread) -> Self {
        Self::RepliesUnread
    }
}

/// The errors of the crate `postgres-protocol`.
impl From<std::io::Error> for PostgresError {
    fn from(_: std::io::Error) -> Self {
        Self::Malformed
    }
}

/// The code of an error: five digits and capitals (PostgreSQL's manual, appendix A).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlState([u8; 5]);

impl SqlState {
    fn of(code: &[u8]) -> Option<SqlState> {
        let plain = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        let code: [u8; 5] = code.try_into().ok()?;
        code.iter().all(plain).then_some(SqlState(code))
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// The word for counting it, as `sqlstate_40001`.
    #[must_use]
    pub fn word(self) -> Word {
        made_word(&format!("sqlstate_{}", self.text()))
    }
}

impl std::fmt::Display for SqlState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// A server's error.
struct ServerError {
    state: SqlState,
    /// Whether the connection ends with it.
    fatal: bool,
    /// The error in words.
    message: Vec<u8>,
}

impl ServerError {
    fn of(mut fields: ErrorFields<'_>) -> Result<ServerError, PostgresError> {
        let (mut state, mut fatal, mut message) = (None, false, Vec::new());
        while let Some(field) = fields.next()? {
            match field.type_() {
                b'C' => state = SqlState::of(field.value_bytes()),
                b'V' => fatal = matches!(field.value_bytes(), b"FATAL" | b"PANIC"),
                b'M' => message = field.value_bytes().to_vec(),
                _ => {}
            }
        }
        let state = state.ok_or(PostgresError::Malformed)?;
        Ok(ServerError { state, fatal, message })
    }
}
