//! The sources of secrets.

use thinktime_file::error::Invalid;

/// The source of a secret, which is in no file of a workload or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// In this environment variable.
    Environment(String),
    /// In this file, except for a line end after it.
    File(String),
}

impl Secret {
    /// Parses `env:NAME` or `file:PATH`.
    pub(crate) fn parse(text: &str) -> Result<Secret, Invalid> {
        match text.split_once(':') {
            Some(("env", name)) if !name.is_empty() => Ok(Secret::Environment(name.to_owned())),
            Some(("file", path)) if !path.is_empty() => Ok(Secret::File(path.to_owned())),
            // The given text may be the secret itself: it is not repeated.
            _ => Err(Invalid::new(
                "names the place of the secret, `env:NAME` or `file:PATH`; the secret itself would \
                 stand in results",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_named_and_never_told() {
        assert_eq!(Secret::parse("env:TOKEN"), Ok(Secret::Environment("TOKEN".to_owned())));
        assert_eq!(Secret::parse("file:a/b:c"), Ok(Secret::File("a/b:c".to_owned())));
        for text in ["hunter2", "env:", "file:", "ENV:x"] {
            let message = Secret::parse(text).unwrap_err().to_string();
            assert!(!message.contains("hunter2") && message.contains("env:NAME"), "{message}");
        }
    }
}
