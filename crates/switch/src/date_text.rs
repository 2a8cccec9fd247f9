//! The time of day, to the second.

use chrono::DateTime;

/// Writes the time of day in one form. There are many requests in a second: the text is kept for
/// it.
#[derive(Debug)]
pub(crate) struct DateText {
    form: &'static str,
    second: u64,
    text: String,
}

impl DateText {
    /// With a format of chrono.
    pub(crate) fn new(form: &'static str) -> DateText {
        DateText { form, second: u64::MAX, text: String::new() }
    }

    pub(crate) fn now(&mut self) -> &str {
        let second = seconds_now();
        if self.second != second {
            // None only for times beyond the calendar here, some 262,000 years on.
            let time = DateTime::from_timestamp(second as i64, 0).unwrap_or_default();
            (self.second, self.text) = (second, time.format(self.form).to_string());
        }
        &self.text
    }
}

/// The time of day, used only for stamps.
#[expect(clippy::disallowed_methods, reason = "lines of the log and responses say when")]
fn seconds_now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
