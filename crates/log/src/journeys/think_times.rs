//! Think times: from a page's arrival to the next request.

use super::{ColumnMismatch, same_lengths, within};

/// Think times, and the pages before them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThinkTimes {
    /// In seconds; 0 if the next page was requested before the previous one had arrived.
    pub think_s: Vec<f64>,
    /// The page before it.
    pub page: Vec<u32>,
    /// The number of pages requested before the previous one had arrived.
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
