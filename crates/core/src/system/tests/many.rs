//! Systems of many nodes, of every kind.

use std::fmt::Write as _;

use proptest::prelude::*;
use thinktime_file::schema::Source;
use thinktime_file::time::Nanos;

use super::job;
use crate::files::NoFiles;
use crate::random::Purpose;
use crate::system::{DrawnDemands, Job, JobRef, Program, System, SystemModel};

pub(super) fn system(text: &str, kinds: &[String]) -> System<DrawnDemands> {
    let model = SystemModel::parse(Source { file: "", text }, &NoFiles)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let program = Program::new(&model, &kinds);
    let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
    System::new(&model, &program, &kinds, demands, 1)
}

/// Of a thousand stations, each kind of request visits three for 1, 2 and 3 ms. All come at once
/// and do not meet: they leave at 6 ms, and at the same instant the lowest station goes first.
#[test]
fn a_thousand_stations_act_in_their_order() {
    let (kinds, apart) = (333, 333);
    let mut text = "name = 's'\n".to_owned();
    for station in 0..1000 {
        let demand = 1 + station / apart;
        write!(text, "[[station]]\nname = 's{station}'\ndemand = '{demand}ms'\n").unwrap();
    }
    for kind in 0..kinds {
        let steps = [0, 1, 2].map(|at| format!("{{ use = 's{}' }}", kind + at * apart)).join(", ");
        write!(text, "[[behaviour]]\nrequest = 'r{kind}'\nsteps = [{steps}]\n").unwrap();
    }
    let names: Vec<String> = (0..kinds).map(|kind| format!("r{kind}")).collect();
    let mut system = system(&text, &names);
    for kind in (0..kinds as u32).rev() {
        system.arrive(Nanos(0), Job { kind, ..job(kind.into()) });
    }
    let mut left = Vec::new();
    while !system.next_event().is_never() {
        left.extend(system.advance().map(|departure| (departure.at, departure.job.kind)));
    }
    let expected: Vec<(Nanos, u32)> =
        (0..kinds as u32).map(|kind| (Nanos(6_000_000), kind)).collect();
    assert_eq!(left, expected);
}

/// Nodes of every kind; demands are whole milliseconds, so that events often come together.
const ALL_KINDS: &str = "
name = 's'
[[station]]
name = 'a'
policy = 'ps'
demand = '2ms'
[[station]]
name = 'b'
queue_limit = 2
demand = '1ms'
[[station]]
name = 'c'
policy = 'srpt'
servers = 2
queue_timeout = '3ms'
demand = '3ms'
[[machine]]
name = 'm'
os = 'windows-7'
cores = 2
demand = '2ms'
[[machine]]
name = 'n'
os = 'processor-sharing'
threads = 2
demand = '1ms'
[[service]]
name = 'loop'
machine = 'm'
threads = 'event-loop'
demand = '1ms'
[[pool]]
name = 'p'
size = 2
queue_limit = 4
[[pool]]
name = 'q'
size = 3
[[behaviour]]
request = 'r0'
steps = [{ use = 'a' }, { acquire = 'p' }, { use = 'loop' }, { use = 'b' }, { release = 'p' }]
[[behaviour]]
request = 'r1'
steps = [
  { acquire = 'q' },
  { fork = [[{ delay = '2ms' }, { use = 'n' }], [{ use = 'c' }, { use = 'm' }], [{ use = 'a' }]] },
  { release = 'q' },
  { use = 'c' },
]
[[behaviour]]
request = 'r2'
steps = [{ use = 'loop' }, { acquire = 'p' }, { use = 'n' }, { delay = '1ms' }, { release = 'p' }]
";

proptest! {
    /// The index of next events always equals a scan of every node. When all requests have left,
    /// nothing is kept: the pools have all their places, and a request goes through as through a
    /// fresh system.
    #[test]
    fn the_next_event_is_that_of_the_earliest_node(
        deeds in prop::collection::vec((0u64..3_000_000, 0u32..3, 0usize..8), 1..60)
    ) {
        let names: Vec<String> = (0..3).map(|kind| format!("r{kind}")).collect();
        let mut system = system(ALL_KINDS, &names);
        let mut there: Vec<JobRef> = Vec::new();
        let mut now = Nanos(0);
        let mut left = 0;
        for (gap, kind, who) in deeds {
            let next = now + Nanos(gap / 500_000 * 500_000);
            while system.next_event() <= next {
                left += u64::from(system.advance().is_some());
                prop_assert_eq!(system.nodes.next_event(), system.nodes.next_event_by_a_scan());
            }
            now = next;
            if who < there.len() {
                let token = (there.len() - 1 - who) as u64;
                let taken = system.withdraw(now, there[token as usize], token, who % 2 == 0);
                left += u64::from(taken);
            } else {
                let token = there.len() as u64;
                there.push(system.arrive(now, Job { kind, ..job(token) }));
            }
            prop_assert_eq!(system.nodes.next_event(), system.nodes.next_event_by_a_scan());
        }
        while system.in_system() > 0 || !system.leaving.is_empty() {
            now = system.next_event();
            prop_assert!(!now.is_never(), "{} requests wait for ever", system.in_system());
            left += u64::from(system.advance().is_some());
            prop_assert_eq!(system.nodes.next_event(), system.nodes.next_event_by_a_scan());
        }
        prop_assert_eq!(left, there.len() as u64);
        for kind in 0..3 {
            let token = there.len() as u64 + u64::from(kind);
            system.arrive(now, Job { kind, ..job(token) });
            while system.in_system() > 0 || !system.leaving.is_empty() {
                now = system.next_event();
                let departure = system.advance();
                prop_assert!(departure.is_none_or(|one| one.error.is_none()), "{:?}", departure);
            }
        }
    }
}
