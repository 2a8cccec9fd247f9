//! `empirical(FILE)`.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::units::{Dimension, Quantity};

use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call, Term};

/// Each of the values in a file with equal probability: F(x) is the share of them that are x or
/// less.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Empirical {
    file: Box<str>,
    /// In increasing order.
    values: Arc<[f64]>,
    mean: f64,
    second_moment: f64,
}

impl Empirical {
    /// With at least one value, in increasing order.
    fn new(file: &str, values: Arc<[f64]>) -> Empirical {
        let n = values.len() as f64;
        Empirical {
            file: file.into(),
            mean: values.iter().sum::<f64>() / n,
            second_moment: values.iter().map(|x| x * x).sum::<f64>() / n,
            values,
        }
    }

    /// The values of a file with one on each line; blank lines and text after a `#` are ignored.
    fn read(file: &str, text: &str) -> Result<(Empirical, Dimension), Invalid> {
        let (mut values, mut dimension) = (Vec::new(), Dimension::Number);
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let place =
                |error: Invalid| Invalid::new(format!("`{file}`, line {}: {error}", number + 1));
            let quantity = Quantity::parse(line).map_err(place)?;
            if !quantity.value.is_finite() {
                return Err(place(Invalid::new(format!("`{line}` is not finite"))));
            }
            dimension =
                Self::ENTRY.common_dimension([dimension, quantity.dimension]).map_err(place)?;
            values.push(quantity.value);
        }
        if values.is_empty() {
            return Err(Invalid::new(format!("`{file}` holds no values: it needs one a line")));
        }
        values.sort_by(f64::total_cmp);
        Ok((Empirical::new(file, values.into()), dimension))
    }
}

impl Law for Empirical {
    const ENTRY: Entry = Entry {
        name: "empirical",
        usage: "empirical(FILE)",
        example: "empirical(demands.txt)",
        summary: "the values of a file, equally likely; one a line, with or without a unit",
        source: "by definition",
    };

    fn parse(call: &Call, files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["file"])?;
        let file = match arguments.required("file")? {
            Term::Call(word) if word.arguments.is_empty() => word.name,
            _ => return Err(arguments.error("needs the name of a file")),
        };
        arguments.finish()?;
        Empirical::read(&file, &files.read(&file)?)
    }

    fn notation(&self, _dimension: Dimension) -> String {
        format!("empirical({})", self.file)
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        self.second_moment
    }

    fn cdf(&self, x: f64) -> f64 {
        self.values.partition_point(|value| *value <= x) as f64 / self.values.len() as f64
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        let place = (u * self.values.len() as f64).ceil() as usize;
        self.values[place.clamp(1, self.values.len()) - 1]
    }

    fn range(&self) -> (f64, f64) {
        (self.values[0], self.values[self.values.len() - 1])
    }

    fn is_discrete(&self) -> bool {
        true
    }

    /// `None`: the notation names the file and has no place for a factor.
    fn scaled(&self, _factor: f64) -> Option<Self> {
        None
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let from = self.values.partition_point(|value| *value < lo);
        let to = self.values.partition_point(|value| *value <= hi);
        let kept = self.values.get(from..to).filter(|kept| !kept.is_empty())?;
        let law = Empirical::new(&self.file, kept.into());
        Some(Distribution::bare(AnyLaw::Empirical(law)))
    }
}
