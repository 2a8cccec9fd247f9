//! Loops over many values, through wide registers if the processor has them.
//!
//! What runs on every x86 processor takes two numbers at a time. Here a loop is compiled twice, the
//! second time for registers of four and newer shifts (AVX2, BMI2, LZCNT), which runs if the
//! processor says that it has them. Both do the same operations in the same order, and neither
//! fuses two into one: so the results are the same to the last bit.
//!
//! This is the only unsafe code of the project: no compiler can see what the processor says.
#![allow(unsafe_code, reason = "a function for some processors only is called, see above")]

/// Runs the work; it must be `#[inline(always)]`, and so must all that it calls. Else that part is
/// compiled for every processor, and is right but no faster.
#[inline(always)]
pub(crate) fn wide<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has said that it has all of these.
        return unsafe { four_at_a_time(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2,lzcnt")]
fn four_at_a_time<T>(work: impl FnOnce() -> T) -> T {
    work()
}
