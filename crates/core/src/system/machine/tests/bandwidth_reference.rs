//! CPU limits on three cores, against `tests/python/reference_bandwidth.py`, a second
//! implementation. `tests/python/test_bandwidth.py` compares many more.

use super::on;

/// Requests with the nanoseconds at which they end there, under limits of 12 ms in 40 (burst 6) of
/// `a` and 9 ms in 30 of `b`.
#[rustfmt::skip]
const CASES: [(f64, &str, u64); 48] = [
    (5.405, "a 5.432, sleep 0.991, a 0.693", 12521000),
    (14.284, "a 4.874, sleep 1.15, a 4.256", 49535000),
    (17.901, "a 3.652", 48489000),
    (24.852, "a 0.843", 49509000),
    (31.907, "a 1.114, sleep 3.857, a 5.266, sleep 1.213, a 4.827", 370232000),
    (38.506, "a 0.481", 48970000),
    (40.787, "b 1.281, sleep 2.129, b 4.776", 48973000),
    (45.941, "a 4.864", 93765000),
    (49.119, "b 4.587", 73431000),
    (50.247, "a 1.787, sleep 8.333, a 5.673, sleep 8.911, a 3.602", 248449000),
    (55.493, "3.812, sleep 6.124, 2.555, sleep 4.27, 6.607", 78861000),
    (58.538, "a 4.805", 89369000),
    (63.557, "6.075, sleep 7.553, 2.458", 82591000),
    (64.856, "a 3.525, sleep 2.902, a 6.302, sleep 5.804, a 1.345", 486750000),
    (72.967, "5.574", 79005000),
    (74.338, "b 5.795, sleep 5.937, b 4.969", 105551000),
    (82.575, "6.981", 89556000),
    (84.208, "b 5.81, sleep 1.264, b 0.597", 135473001),
    (89.38, "5.97, sleep 6.52, 5.577", 111128000),
    (95.165, "a 3.011, sleep 2.953, a 5.104", 454034997),
    (97.183, "1.887", 99070000),
    (101.992, "a 2.128, sleep 6.719, a 3.302, sleep 8.334, a 0.76", 286165000),
    (104.817, "4.601, sleep 4.752, 1.221", 115391000),
    (111.97, "b 3.502, sleep 6.078, b 5.692, sleep 6.433, b 1.99", 312777000),
    (114.542, "a 1.339", 166545001),
    (118.442, "a 4.072", 287487999),
    (121.529, "b 0.133, sleep 2.586, b 3.532", 314347000),
    (130.387, "b 4.739, sleep 5.42, b 1.128, sleep 8.645, b 5.159", 251733997),
    (131.371, "6.636, sleep 6.628, 3.36, sleep 6.736, 3.328", 158059000),
    (133.167, "3.38, sleep 1.219, 1.661, sleep 1.303, 1.81", 144846001),
    (140.486, "a 2.885", 328079002),
    (141.447, "a 4.743", 250148000),
    (144.025, "a 5.127, sleep 0.617, a 0.676", 209919002),
    (147.532, "5.297", 152829000),
    (151.764, "b 3.083, sleep 7.968, b 1.106, sleep 2.089, b 4.098", 221074004),
    (159.498, "2.654, sleep 1.607, 1.28", 165039000),
    (161.272, "b 2.268, sleep 8.041, b 6.889, sleep 2.845, b 4.329", 284116000),
    (161.75, "a 3.063, sleep 2.601, a 5.753, sleep 0.643, a 6.31", 529195997),
    (170.502, "b 0.845, sleep 4.478, b 4.346, sleep 6.208, b 1.468", 315815000),
    (176.429, "a 4.536, sleep 8.436, a 2.8, sleep 3.854, a 5.123", 408652004),
    (179.726, "a 6.161, sleep 3.914, a 1.737", 488487000),
    (188.306, "6.088, sleep 0.674, 0.328", 195396000),
    (192.983, "1.686, sleep 5.84, 3.763", 207076001),
    (198.809, "b 1.906", 222980004),
    (200.582, "a 1.711, sleep 5.733, a 1.774", 246693001),
    (208.589, "a 5.449, sleep 5.836, a 6.65", 367729003),
    (210.078, "a 6.508, sleep 3.465, a 4.016", 492503000),
    (213.102, "2.823, sleep 1.621, 6.66, sleep 6.685, 3.894", 234785000),
];

#[test]
fn a_second_implementation_agrees_to_the_nanosecond() {
    let case = on("windows-server-2003", 3)
        .with("time_sharing.boosts = false")
        .with("time_sharing.starvation = false")
        .with("time_sharing.slice.length = '1000s'")
        .with("time_sharing.slice.wait_costs = false")
        .with("balancing.dynamic = false")
        .service("a", "quota = '12ms'\nperiod = '40ms'\nburst = '6ms'")
        .service("b", "quota = '9ms'\nperiod = '30ms'");
    let outcome = case.run(&CASES.map(|(at, steps, _)| (at, steps)));
    let ends = outcome.left.iter().map(|one| one.map(|it| it.at.0));
    for (at, (end, case)) in ends.zip(CASES).enumerate() {
        assert_eq!(end, Some(case.2), "request {at}");
    }
}
