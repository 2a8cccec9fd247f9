//! Small square matrices, with a row for each free parameter of a law.

/// A symmetric matrix, row by row.
pub(super) type Square = Vec<Vec<f64>>;

pub(super) fn zeros(size: usize) -> Square {
    vec![vec![0.0; size]; size]
}

/// The x with A x = b, by Cholesky's factors; None if A is not positive definite.
pub(super) fn solve(a: &Square, b: &[f64]) -> Option<Vec<f64>> {
    let size = b.len();
    let mut root = zeros(size);
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| root[i][k] * root[j][k]).sum();
            if i == j {
                let rest = a[i][i] - sum;
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                root[i][i] = rest.sqrt();
            } else {
                root[i][j] = (a[i][j] - sum) / root[j][j];
            }
        }
    }
    let mut x = b.to_vec();
    for i in 0..size {
        let sum: f64 = (0..i).map(|k| root[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / root[i][i];
    }
    for i in (0..size).rev() {
        let sum: f64 = (i + 1..size).map(|k| root[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / root[i][i];
    }
    Some(x)
}

/// A x.
pub(super) fn times(a: &Square, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| dot(row, x)).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let a = vec![vec![4.0, 2.0, 0.5], vec![2.0, 3.0, 0.25], vec![0.5, 0.25, 1.0]];
        let x = solve(&a, &[1.0, -2.0, 3.0]).unwrap();
        for (found, expected) in times(&a, &x).iter().zip([1.0, -2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_matrix_that_bends_the_other_way_has_no_answer() {
        assert!(solve(&vec![vec![1.0, 2.0], vec![2.0, 1.0]], &[1.0, 1.0]).is_none());
        assert!(solve(&vec![vec![f64::NAN]], &[1.0]).is_none());
    }
}
