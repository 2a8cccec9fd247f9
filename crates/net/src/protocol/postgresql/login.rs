//! The dialogue before the first statement.

use std::sync::Arc;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;

use super::PostgresError;

/// The user and the database of a login.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The user's name.
    pub user: String,
    /// The database's name.
    pub database: String,
    /// The password, if there is one.
    pub password: Option<String>,
}

/// The password is not shown.
impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {}", self.user, self.database)
    }
}

/// A login under way.
pub(super) struct LoginExchange {
    login: Arc<Login>,
    stage: Stage,
}

enum Stage {
    /// The server must name its method.
    Begun,
    /// A password was sent.
    PasswordSent,
    /// A proof is under way.
    Proving(Box<ScramSha256>),
    /// The server admitted the client.
    Admitted,
}

impl LoginExchange {
    /// Writes the first message.
    pub(super) fn begin(login: Arc<Login>, out: &mut BytesMut) -> LoginExchange {
        let parameters = [
            ("user", login.user.as_str()),
            ("database", login.database.as_str()),
            ("application_name", "thinktime"),
            ("client_encoding", "UTF8"),
        ];
        let written = frontend::startup_message(parameters, out);
        debug_assert!(written.is_ok(), "names have no zero byte");
        LoginExchange { login, stage: Stage::Begun }
    }

    /// Whether the server admitted the client.
    pub(super) fn is_admitted(&self) -> bool {
        matches!(self.stage, Stage::Admitted)
    }

    /// Takes a message of authentication, and writes the reply.
    pub(super) fn take(
        &mut self,
        message: &Message,
        out: &mut BytesMut,
    ) -> Result<(), PostgresError> {
        let stage = std::mem::replace(&mut self.stage, Stage::PasswordSent);
        self.stage = match (message, stage) {
            (Message::AuthenticationOk, Stage::Begun | Stage::PasswordSent) => Stage::Admitted,
            (Message::AuthenticationCleartextPassword, Stage::Begun) => {
                frontend::password_message(self.password()?, out)?;
                Stage::PasswordSent
            }
            (Message::AuthenticationMd5Password(body), Stage::Begun) => {
                let user = self.login.user.as_bytes();
                let hash = md5_hash(user, self.password()?, body.salt());
                frontend::password_message(hash.as_bytes(), out)?;
                Stage::PasswordSent
            }
            (Message::AuthenticationSasl(body), Stage::Begun) => self.prove(body, out)?,
            (Message::AuthenticationSaslContinue(body), Stage::Proving(mut scram)) => {
                scram.update(body.data()).map_err(|_| PostgresError::Authentication)?;
                frontend::sasl_response(scram.message(), out)?;
                Stage::Proving(scram)
            }
            (Message::AuthenticationSaslFinal(body), Stage::Proving(mut scram)) => {
                scram.finish(body.data()).map_err(|_| PostgresError::Authentication)?;
                Stage::PasswordSent
            }
            (
                Message::AuthenticationGss
                | Message::AuthenticationKerberosV5
                | Message::AuthenticationScmCredential
                | Message::AuthenticationSspi,
                Stage::Begun,
            ) => return Err(PostgresError::Authentication),
            _ => return Err(PostgresError::Malformed),
        };
        Ok(())
    }

    /// Begins to prove knowledge of the password, if the server accepts SCRAM-SHA-256.
    fn prove(
        &self,
        body: &AuthenticationSaslBody,
        out: &mut BytesMut,
    ) -> Result<Stage, PostgresError> {
        if !body.mechanisms().any(|name| Ok(name == SCRAM_SHA_256))? {
            return Err(PostgresError::Authentication);
        }
        let scram = ScramSha256::new(self.password()?, ChannelBinding::unsupported());
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out)?;
        Ok(Stage::Proving(Box::new(scram)))
    }

    fn password(&self) -> Result<&[u8], PostgresError> {
        let password = self.login.password.as_ref().map(String::as_bytes);
        password.ok_or(PostgresError::PasswordMissing)
    }
}
