//! The most likely parameters of laws, from values that were counted in bins.
//!
//! A [`Family`] of laws and its parameters make a [`Law`], which says how likely values are. A
//! [`Likelihood`] holds the bins, as they were observed, and gives the probability that a law
//! gives to each of them; [`climbed`] moves the parameters to where all of them together are most
//! likely. A [`Tail`] is what lies over a threshold, and has laws of its own.

mod bins;
mod climbing;
mod family;
mod law;
mod normal;
mod observed;
mod part;
mod scale;
mod square;
mod tail;

pub use bins::Bins;
pub use climbing::{Search, climbed, products};
pub use family::Family;
pub use law::Law;
pub use observed::Likelihood;
pub use scale::Scale;
pub use tail::{Chosen, Tail, closest};
