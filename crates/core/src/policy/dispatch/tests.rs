//! Properties of every policy, and the published ones of each.

mod every;
mod published;
mod queues;

use super::*;
use crate::random::Purpose;

/// A switch of this policy for servers of these weights.
fn switch(policy: &str, weights: &[f64], classes: usize, seed: u64) -> Switch {
    let setting = Setting { weights: weights.to_vec(), classes, work: None };
    let random = Stream::new(seed, 0, Purpose::Dispatch);
    Switch::new(&Dispatch::parse(policy).unwrap(), &setting, random).unwrap()
}

/// A request for a target.
fn target(target: u64) -> Request {
    Request { target, ..Request::default() }
}

/// A request of a class.
fn class(class: u32) -> Request {
    Request { class, ..Request::default() }
}

impl Switch {
    /// The server that a request gets at this time.
    fn server(&mut self, now_s: f64, request: &Request) -> usize {
        match self.place(Nanos::from_secs_f64(now_s), request) {
            Placement::Server(server) => server,
            other => panic!("{other:?} instead of a server"),
        }
    }
}
