//! The most likely parameters of laws, from values counted in bins.
//!
//! A [`Family`] of laws and its parameters make a [`Law`], which says how likely values are. A
//! [`Likelihood`] holds the bins in their observed form, and computes the probability that a law
//! gives to each of them; [`climbed`] moves the parameters to the most likely ones. A [`Tail`] is
//! the part above a threshold, and has laws of its own.

mod bins;
mod family;
mod law;
mod likelihood;
mod normal;
mod part;
mod scale;
mod scoring;
mod square;
mod tail;

pub use bins::Bins;
pub use family::Family;
pub use law::Law;
pub use likelihood::Likelihood;
pub use scale::Scale;
pub use scoring::{Search, maximize};
pub use tail::{Tail, TailChoice, closest};
