//! Small square matrices, as processes and laws with hidden states are written.

use thinktime_file::error::Invalid;

/// The most states of a process or a law.
pub(crate) const STATES_MAX: usize = 100;

/// A square matrix, a row after another.
pub(crate) type Matrix = Vec<Vec<f64>>;

/// Reads the rows of a square matrix: numbers apart by spaces or commas, rows by semicolons, as in
/// `-3 1; 2 -5`.
///
/// # Errors
/// If an entry is no finite number, or the rows are not as long as there are rows.
pub(crate) fn square(text: &str) -> Result<Matrix, Invalid> {
    let matrix = text.split(';').map(row).collect::<Result<Matrix, _>>()?;
    let states = matrix.len();
    if states > STATES_MAX {
        return Err(Invalid::new(format!("`{text}` has {states} rows, of {STATES_MAX} at most")));
    }
    match matrix.iter().position(|row| row.len() != states) {
        None => Ok(matrix),
        Some(wrong) => Err(Invalid::new(format!(
            "row {} of `{text}` has length {}, and the matrix has {states} rows",
            wrong + 1,
            matrix[wrong].len()
        ))),
    }
}

/// Reads numbers apart by spaces or commas.
///
/// # Errors
/// If the text has no number, or one that is not finite.
pub(crate) fn row(text: &str) -> Result<Vec<f64>, Invalid> {
    let entries = text.split([' ', ',', '\t', '\n']).filter(|entry| !entry.is_empty());
    let row = entries
        .map(|entry| match entry.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(Invalid::new(format!("`{entry}` is not a number"))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if row.is_empty() {
        return Err(Invalid::new("a row without numbers"));
    }
    Ok(row)
}

/// A matrix in the form that [`square`] reads.
pub(crate) fn written(matrix: &Matrix) -> String {
    matrix.iter().map(|row| written_row(row)).collect::<Vec<_>>().join("; ")
}

/// A row in the form that [`row`] reads.
pub(crate) fn written_row(row: &[f64]) -> String {
    row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// The stationary probabilities of an irreducible chain, from its rates between different states;
/// `None` if some state is not reached from another. No subtraction, so that each has all its
/// digits (Grassmann, Taksar and Heyman, Operations Research 33, 1985).
pub(crate) fn stationary(rates: &Matrix) -> Option<Vec<f64>> {
    let states = rates.len();
    let mut left = rates.clone();
    for last in (1..states).rev() {
        let out: f64 = left[last][..last].iter().sum();
        for from in 0..last {
            left[from][last] /= out;
            for to in 0..last {
                left[from][to] += left[from][last] * left[last][to];
            }
        }
    }
    let mut shares = vec![1.0; states];
    for last in 1..states {
        shares[last] = (0..last).map(|from| shares[from] * left[from][last]).sum();
    }
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    shares.iter().all(|share| *share > 0.0).then_some(shares)
}

/// The x with `matrix` x = `right`, by elimination with row exchanges; `None` if there is not
/// exactly one.
pub(crate) fn solution(matrix: &Matrix, right: &[f64]) -> Option<Vec<f64>> {
    let states = matrix.len();
    let mut rows = matrix.clone();
    let mut x = right.to_vec();
    for at in 0..states {
        let largest =
            |one: &usize, other: &usize| rows[*one][at].abs().total_cmp(&rows[*other][at].abs());
        let pivot = (at..states).max_by(largest)?;
        rows.swap(at, pivot);
        x.swap(at, pivot);
        if rows[at][at] == 0.0 {
            return None;
        }
        for below in at + 1..states {
            let factor = rows[below][at] / rows[at][at];
            let (above, under) = rows.split_at_mut(below);
            let entries = under[0].iter_mut().zip(&above[at]).skip(at);
            entries.for_each(|(entry, pivot)| *entry -= factor * pivot);
            x[below] -= factor * x[at];
        }
    }
    for at in (0..states).rev() {
        let known: f64 = (at + 1..states).map(|column| rows[at][column] * x[column]).sum();
        x[at] = (x[at] - known) / rows[at][at];
    }
    x.iter().all(|value| value.is_finite()).then_some(x)
}

/// The sum of the products of two rows.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_are_read_and_written() {
        let read = square("-3 1;2,  -5e-1").unwrap();
        assert_eq!(read, [[-3.0, 1.0], [2.0, -0.5]]);
        assert_eq!(square(&written(&read)).unwrap(), read);
        let why = |text: &str| square(text).unwrap_err().to_string();
        assert!(
            why("1 2; 3").contains("row 2 of `1 2; 3` has length 1, and the matrix has 2 rows")
        );
        assert!(why("1 x; 3 4").contains("`x` is not a number"));
        assert!(why("").contains("a row without numbers"));
        assert!(why("1 inf; 1 1").contains("`inf` is not a number"));
    }

    /// A birth-death chain of three states: shares in proportion to 1, 2, 2 · 3 / 8.
    #[test]
    fn stationary_probabilities_are_those_of_birth_and_death() {
        let rates = vec![vec![0.0, 4.0, 0.0], vec![2.0, 0.0, 3.0], vec![0.0, 8.0, 0.0]];
        let expected = [1.0, 2.0, 0.75].map(|weight| weight / 3.75);
        let found = stationary(&rates).unwrap();
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-15));
        assert_eq!(stationary(&vec![vec![0.0, 1.0], vec![0.0, 0.0]]), None, "no way back");
        assert_eq!(stationary(&vec![vec![0.0]]), Some(vec![1.0]));
    }

    #[test]
    fn systems_are_solved_also_if_rows_have_to_change_places() {
        let found = solution(&vec![vec![0.0, 2.0], vec![4.0, 1.0]], &[2.0, 9.0]).unwrap();
        assert_eq!(found, [2.0, 1.0]);
        assert_eq!(solution(&vec![vec![1.0, 2.0], vec![2.0, 4.0]], &[1.0, 1.0]), None);
    }
}
