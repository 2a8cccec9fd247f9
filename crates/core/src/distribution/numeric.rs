//! Root finding and quadrature for laws without closed forms.

/// Relative steps below this end Newton's iteration: its next step would be their square.
const STEP_MIN: f64 = 1e-9;

/// The most iterations of [`solve`]; only bisection over the whole range of numbers nears it.
const ITERATIONS_MAX: usize = 200;

/// The given tail of a law, with its probability. A law is inverted from its lighter tail, because
/// that alone keeps all digits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tail {
    /// P(X <= x).
    Lower(f64),
    /// P(X > x).
    Upper(f64),
}

impl Tail {
    /// The lighter tail for P(X <= x) = `u`.
    #[inline]
    pub(super) fn of_lower(u: f64) -> Tail {
        if u <= 0.5 { Tail::Lower(u) } else { Tail::Upper(1.0 - u) }
    }

    /// The lighter tail for P(X > x) = `q`.
    #[inline]
    pub(super) fn of_upper(q: f64) -> Tail {
        if q <= 0.5 { Tail::Upper(q) } else { Tail::Lower(1.0 - q) }
    }
}

/// Both tails of a continuous law at a point, and its density there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// P(X <= x).
    pub(super) lower: f64,
    /// P(X > x).
    pub(super) upper: f64,
    /// The density at x.
    pub(super) density: f64,
}

/// The x > 0 with the given tail, by Newton's method with bisection if a step leaves the bracket.
/// The logarithm of the tail is taken against that of x below (where laws start as powers), and
/// against x above (where they end as exponentials): both are nearly straight.
pub(super) fn solve(tail: Tail, guess: f64, law: impl Fn(f64) -> Point) -> f64 {
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut x = guess.clamp(f64::MIN_POSITIVE, f64::MAX);
    for _ in 0..ITERATIONS_MAX {
        let Point { lower, upper, density } = law(x);
        // The relative step, and whether x is too small.
        let (step, next, too_small) = match tail {
            Tail::Lower(p) => {
                let step = (p / lower).ln() * lower / (x * density);
                (step, x * step.exp(), lower < p)
            }
            Tail::Upper(q) => {
                let step = (upper / q).ln() * upper / (x * density);
                (step, x * (1.0 + step), upper > q)
            }
        };
        if step.abs() < STEP_MIN {
            return next;
        }
        if too_small {
            low = x;
        } else {
            high = x;
        }
        x = if next > low && next < high { next } else { middle(low, high) };
        if x == low || x == high {
            break;
        }
    }
    x
}

/// The geometric middle of a bracket whose ends may still be open.
fn middle(low: f64, high: f64) -> f64 {
    low.max(f64::MIN_POSITIVE).sqrt() * high.min(f64::MAX).sqrt()
}

/// The least number in `low..=high` for which `reached` holds; it must hold at `high`, and from
/// its first number on. Bisects the order of floating-point numbers, so it is exact in at most 64
/// steps, even at an atom.
pub(super) fn least(low: f64, high: f64, reached: impl Fn(f64) -> bool) -> f64 {
    if reached(low) {
        return low;
    }
    let (mut low, mut high) = (rank(low), rank(high));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reached(unrank(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    unrank(high)
}

/// The place of a number among all floating-point numbers in their order.
fn rank(x: f64) -> i128 {
    let magnitude = i128::from(x.abs().to_bits());
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

fn unrank(rank: i128) -> f64 {
    let magnitude = f64::from_bits(rank.unsigned_abs() as u64);
    if rank < 0 { -magnitude } else { magnitude }
}

/// Nodes of the 15-point Kronrod rule on -1..1, from the outermost in (the middle one is 0).
const NODES: [f64; 7] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
];

/// Kronrod weights of [`NODES`], then of the middle.
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];

/// Gauss weights of every second node, then of the middle.
const GAUSS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_64,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_4,
];

/// The integral of `f` over `from..to` by the 15-point Gauss-Kronrod rule, and how far the
/// 7-point Gauss rule is from it (Piessens et al., QUADPACK, 1983).
pub(super) fn gauss_kronrod(f: &impl Fn(f64) -> f64, from: f64, to: f64) -> (f64, f64) {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let at_middle = f(middle);
    let (mut kronrod, mut gauss) = (KRONROD[7] * at_middle, GAUSS[3] * at_middle);
    for (i, node) in NODES.iter().enumerate() {
        let pair = f(middle - half * node) + f(middle + half * node);
        kronrod += KRONROD[i] * pair;
        if i % 2 == 1 {
            gauss += GAUSS[i / 2] * pair;
        }
    }
    (kronrod * half, (kronrod - gauss).abs() * half)
}

/// The integral of a non-negative `f` from the first to the last of the increasing `edges`, by
/// halving panels until the two rules agree to 1e-11 of the whole. (The rule that is kept is then
/// better than that by several digits.)
pub(super) fn integrate(f: impl Fn(f64) -> f64, edges: &[f64]) -> f64 {
    const TOLERANCE: f64 = 1e-11;
    const DEPTH_MAX: u32 = 40;
    // A function with noise would be halved without end.
    const PANELS_MAX: usize = 2000;
    let (mut total, mut panels) = (0.0, 0);
    let mut open: Vec<(f64, f64, u32)> = edges.windows(2).map(|w| (w[0], w[1], 0)).collect();
    let rough: f64 = open.iter().map(|p| gauss_kronrod(&f, p.0, p.1).0).sum();
    while let Some((from, to, depth)) = open.pop() {
        let (value, error) = gauss_kronrod(&f, from, to);
        panels += 1;
        if error <= TOLERANCE * rough.max(total) || depth == DEPTH_MAX || panels > PANELS_MAX {
            total += value;
        } else {
            let middle = 0.5 * (from + to);
            open.push((from, middle, depth + 1));
            open.push((middle, to, depth + 1));
        }
    }
    total
}

/// The least whole number in `least..=most` that is not too small, striding from a guess. At
/// `most` nothing is too small.
pub(super) fn least_whole(
    guess: f64,
    (least, most): (f64, f64),
    too_small: impl Fn(f64) -> bool,
) -> f64 {
    let mut high = guess.round().clamp(least, most);
    let mut low = high;
    let mut stride = 1.0;
    if too_small(high) {
        while high < most && too_small(high) {
            low = high;
            high = (low + stride).min(most);
            stride *= 2.0;
        }
    } else {
        while low > least && !too_small(low) {
            high = low;
            low = (high - stride).max(least);
            stride *= 2.0;
        }
        if !too_small(low) {
            return low;
        }
    }
    while high - low > 1.0 {
        let middle = (0.5 * low + 0.5 * high).floor();
        // Beyond 2^53 not every whole number is a floating-point number.
        if middle <= low || middle >= high {
            break;
        }
        if too_small(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
