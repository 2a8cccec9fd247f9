//! How requests are answered, kind by kind.

use super::kinds::each_kind;
use super::{ColumnMismatch, same_lengths};
use crate::columns::UNKNOWN;

/// How the requests of one kind are answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Statuses in their order.
    pub status: Vec<u16>,
    /// The number of answers with each status.
    pub answers: Vec<u64>,
    /// The paths whose answers were complete, with a size, in the order of their numbers.
    pub path: Vec<u32>,
    /// The number of these for each path.
    pub whole: Vec<u64>,
    /// The sum of their sizes.
    pub bytes: Vec<u64>,
    /// The smallest size; 0 without any.
    pub least: u32,
    /// The largest size.
    pub largest: u32,
}

/// How the requests of each kind are answered: `kind` is that of each, or -1.
///
/// # Errors
///
/// If columns have different lengths, or a path is not below `paths`.
pub fn answers(
    kind: &[i32],
    path: &[u32],
    bytes: &[u32],
    status: &[u16],
    (kinds, paths): (usize, usize),
) -> Result<Vec<Answers>, ColumnMismatch> {
    same_lengths(kind.len(), &[path.len(), bytes.len(), status.len()])?;
    if let Some(path) = path.iter().find(|path| **path as usize >= paths) {
        return Err(ColumnMismatch(format!(
            "there is no path {path}: there are {paths}, from 0 on"
        )));
    }
    let mut found = vec![Answers::default(); kinds];
    let mut of_path = vec![(0_u64, 0_u64); paths];
    let mut of_status = vec![0_u64; usize::from(u16::MAX) + 1];
    each_kind(kind, |kind, rows| {
        let Some(answers) = found.get_mut(kind) else { return };
        answers.least = UNKNOWN;
        for row in rows.iter().map(|row| *row as usize) {
            of_status[usize::from(status[row])] += 1;
            if status[row] / 100 == 2 && bytes[row] != UNKNOWN {
                let (whole, sum) = &mut of_path[path[row] as usize];
                if *whole == 0 {
                    answers.path.push(path[row]);
                }
                (*whole, *sum) = (*whole + 1, *sum + u64::from(bytes[row]));
                answers.least = answers.least.min(bytes[row]);
                answers.largest = answers.largest.max(bytes[row]);
            }
        }
        answers.take(&mut of_path, &mut of_status);
    });
    Ok(found)
}

impl Answers {
    /// Takes the counts and leaves none there.
    fn take(&mut self, of_path: &mut [(u64, u64)], of_status: &mut [u64]) {
        self.path.sort_unstable();
        let taken = self.path.iter().map(|path| std::mem::take(&mut of_path[*path as usize]));
        (self.whole, self.bytes) = taken.unzip();
        for (status, many) in (0..=u16::MAX).zip(of_status).filter(|(_, many)| **many > 0) {
            self.status.push(status);
            self.answers.push(std::mem::take(many));
        }
        if self.path.is_empty() {
            self.least = 0;
        }
    }
}
