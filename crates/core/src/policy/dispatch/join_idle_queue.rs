//! Join the idle queue.

use std::collections::VecDeque;

use super::{Dispatcher, Entry, Request, View, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "join-idle-queue",
    example: "join-idle-queue",
    summary: "the server that has been idle for longest; any if none is idle",
    source: "Y. Lu, Q. Xie, G. Kliot, A. Geller, J. Larus, A. Greenberg, Join-Idle-Queue, \
             Performance Evaluation 68, 2011, with one dispatcher",
    needs: &[],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            let listed = vec![false; setting.weights.len()];
            Box::new(JoinIdleQueue { idle: VecDeque::new(), listed })
        })
    },
};

#[derive(Debug)]
struct JoinIdleQueue {
    /// Servers that reported to be idle, in the order of their reports.
    idle: VecDeque<usize>,
    /// Whether each is in the list.
    listed: Vec<bool>,
}

impl Dispatcher for JoinIdleQueue {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        while let Some(server) = self.idle.pop_front() {
            self.listed[server] = false;
            let one = view.servers.all()[server];
            // It may have been chosen at random, or closed, since it joined the list.
            if one.open && one.in_progress == 0 {
                return Some(server);
            }
        }
        Some(view.servers.any(view.random))
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        let one = view.servers.all()[server];
        if one.open && one.in_progress == 0 && !self.listed[server] {
            self.listed[server] = true;
            self.idle.push_back(server);
        }
    }
}
