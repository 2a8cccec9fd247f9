//! Values by bins, in their observed form.

/// The number of values in each bin. All columns have one length, and bins are in order.
#[derive(Clone, Debug)]
pub struct Bins {
    /// P(bin) is the probability of up to `upper` less that of up to `lower`.
    pub lower: Vec<f64>,
    /// See there.
    pub upper: Vec<f64>,
    /// The number of values.
    pub count: Vec<f64>,
    /// The largest observable value; infinite without a limit.
    pub limit: f64,
    /// 0 if values are exact. Else each is the difference of two stamps that were rounded down to
    /// multiples of this step, and bounds and limit are counted in steps.
    pub step: f64,
}

/// The bounds of all bins, each once, and the indices of each bin's bounds.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    pub(super) at: Vec<f64>,
    pub(super) lower: Vec<usize>,
    pub(super) upper: Vec<usize>,
    /// The index of the limit, if there is one.
    pub(super) limit: Option<usize>,
}

impl Edges {
    pub(super) fn of(bins: &Bins) -> Edges {
        let limit = bins.limit.is_finite().then_some(bins.limit);
        let mut at: Vec<f64> = bins.lower.iter().chain(&bins.upper).copied().chain(limit).collect();
        at.sort_by(f64::total_cmp);
        at.dedup();
        let place = |x: &f64| at.partition_point(|edge| edge < x);
        let places = |side: &[f64]| side.iter().map(place).collect();
        let (lower, upper, limit) =
            (places(&bins.lower), places(&bins.upper), limit.as_ref().map(place));
        Edges { at, lower, upper, limit }
    }
}
