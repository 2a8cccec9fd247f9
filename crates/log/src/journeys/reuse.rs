//! How soon a path is requested again.

use super::ColumnMismatch;

/// How often, and how soon, paths are requested again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reuse {
    /// Requests for a path that was also requested within this many requests before, by windows.
    pub seen: Vec<u64>,
    /// The number of paths by their number of requests.
    pub times: Vec<u64>,
}

/// Counts on the paths of requests in the order of time, for rows selected by `counted`, within
/// `windows` of this many requests; paths are numbers below `paths`.
///
/// # Errors
///
/// If a path is not below `paths`, or columns have different lengths.
pub fn reuse(
    path: &[u32],
    counted: &[bool],
    paths: usize,
    windows: &[u32],
) -> Result<Reuse, ColumnMismatch> {
    super::same_lengths(path.len(), &[counted.len()])?;
    let mut seen = vec![0; windows.len()];
    // The number of the request after the latest one for each path, and the number of requests.
    let mut latest = vec![(0_u32, 0_u32); paths];
    let mut number = 0_u32;
    for (path, _) in path.iter().zip(counted).filter(|(_, counted)| **counted) {
        let Some((before, many)) = latest.get_mut(*path as usize) else {
            return Err(ColumnMismatch(format!(
                "there is no path {path}: there are {paths}, from 0 on"
            )));
        };
        if *before > 0 {
            let back = number + 1 - *before;
            for (seen, window) in seen.iter_mut().zip(windows) {
                *seen += u64::from(back <= *window);
            }
        }
        number += 1;
        (*before, *many) = (number, *many + 1);
    }
    let most = latest.iter().map(|(_, many)| *many).max().unwrap_or(0);
    let mut times = vec![0; most as usize + 1];
    latest.iter().for_each(|(_, many)| times[*many as usize] += 1);
    Ok(Reuse { seen, times })
}
