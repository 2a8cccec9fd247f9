//! By the target alone.

use super::{Dispatcher, Entry, PolicyInput, Request, View, plain};
use crate::random::mix;

pub(super) const ENTRY: Entry = Entry {
    usage: "hash",
    example: "hash",
    summary: "the server chosen by the target's hash, always the same one for the same target",
    source: "Pai et al., ASPLOS-VIII, 1998, policy LB; nginx, directive `hash`",
    needs: &[PolicyInput::Targets],
    parse: |call| {
        plain(call, &ENTRY, |setting| Box::new(Hash { servers: setting.weights.len() as u64 }))
    },
};

/// After this many hashes that lead to closed servers, the next open one by number is taken.
const HASHES_MAX: u64 = 64;

#[derive(Debug)]
struct Hash {
    servers: u64,
}

impl Dispatcher for Hash {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let all = view.servers.all();
        // Another hash spreads the requests of a closed server over the others.
        let hashed =
            |turn: u64| (mix(request.target.wrapping_add(turn << 32)) % self.servers) as usize;
        let open = (0..HASHES_MAX).map(hashed).find(|at| all[*at].open);
        let shares = view.servers.shares();
        let next = || shares.first_from(hashed(HASHES_MAX)).or_else(|| shares.first_from(0));
        open.or_else(next)
    }
}
