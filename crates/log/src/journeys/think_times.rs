//! Think times: from when a page was there to when the next one was asked for.

use super::{ColumnMismatch, same_lengths, within};

/// Think times, and after what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThinkTimes {
    /// In seconds; 0 where the next page came before the one before was there.
    pub think_s: Vec<f64>,
    /// The page after which it is.
    pub page: Vec<u32>,
    /// How many came before the page was there.
    pub early: u64,
}

/// The think times of pages, each of which follows another (`previous`), or is the first of a tab
/// that was opened from another (`opener`), or neither (-1).
///
/// # Errors
///
/// If columns have different lengths, or numbers are beyond pages.
pub fn think_times(
    previous: &[i32],
    opener: &[i32],
    start_s: &[f64],
    end_s: &[f64],
) -> Result<ThinkTimes, ColumnMismatch> {
    let pages = previous.len();
    same_lengths(pages, &[opener.len(), start_s.len(), end_s.len()])?;
    within("page", previous, -1, pages)?;
    within("page", opener, -1, pages)?;
    let mut found = ThinkTimes::default();
    for ((previous, opener), start_s) in previous.iter().zip(opener).zip(start_s) {
        let Ok(page) = u32::try_from(*previous.max(opener)) else { continue };
        let think_s = start_s - end_s[page as usize];
        found.early += u64::from(think_s < 0.0);
        found.think_s.push(think_s.max(0.0));
        found.page.push(page);
    }
    Ok(found)
}
