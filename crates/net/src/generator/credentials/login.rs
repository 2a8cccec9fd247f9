//! The login to a database.

use thinktime_core::error::Invalid;
use thinktime_core::workload::{Secret, Workload};

use super::common_fields::secret_text;
use crate::generator::target::Target;
use crate::protocol::postgresql::Login;

/// The default place of the password: that of all programs of PostgreSQL.
const VARIABLE: &str = "PGPASSWORD";

/// The login to a target; `None` if it is no database. Populations share connections, and so the
/// password.
///
/// # Errors
/// If the password cannot be read.
pub(crate) fn login(target: &Target, workload: &Workload) -> Result<Option<Login>, Invalid> {
    let Some(database) = &target.database else { return Ok(None) };
    let usual = Secret::Environment(VARIABLE.to_owned());
    let first = &workload.populations[0];
    let text = |secret| secret_text(secret, "password", first);
    let password = match &first.password {
        Some(secret) => Some(text(secret)?),
        None if std::env::var_os(VARIABLE).is_some() => Some(text(&usual)?),
        None => None,
    };
    Ok(Some(Login { user: database.user.clone(), database: database.name.clone(), password }))
}
