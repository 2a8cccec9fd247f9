//! Copies of requests.

use super::*;

const HEDGED: &str = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n[[request]]\n\
                      name = 'x'\nhedge = { after = '50ms', most = 2 }";

fn sent(machine: &mut Clients) -> Attempt {
    let ClientAction::Send(attempt) = machine.wake() else { panic!("an attempt") };
    attempt
}

#[test]
fn the_first_answer_ends_the_others() {
    let mut machine = clients(HEDGED, 1, 1e9);
    let first = sent(&mut machine);
    let at = machine.next_wake();
    assert_eq!(at, first.due + Nanos(50_000_000));
    let copy = sent(&mut machine);
    assert_eq!((copy.session, copy.index, copy.attempt), (first.session, first.index, 2));
    assert_eq!((copy.due, copy.request_scheduled), (at, first.due));
    assert_eq!((machine.sessions(), machine.open_requests()), (1, 1));
    let ended = machine.answer(at, copy.ticket, Reply::default());
    assert_eq!(ended, Some(AttemptEnd { attempt: copy, fate: Fate::Over, late: false }));
    assert_eq!((machine.cancelled(), machine.cancelled()), (Some(first), None));
    assert_eq!(machine.answer(at, first.ticket, Reply::default()), None);
    // The timer of the second copy finds nothing.
    assert_eq!(machine.wake(), ClientAction::Idle);
    assert!(machine.finished());
}

#[test]
fn a_failure_alone_ends_no_request() {
    let mut machine = clients(HEDGED, 1, 1e9);
    let (first, copy) = (sent(&mut machine), sent(&mut machine));
    let failed = || Reply::of(Some(TIMEOUT));
    let ended = machine.answer(copy.due, first.ticket, failed()).unwrap();
    assert_eq!((ended.fate, machine.open_requests()), (Fate::Retried, 1));
    let ended = machine.answer(copy.due, copy.ticket, failed()).unwrap();
    assert_eq!((ended.fate, machine.open_requests()), (Fate::Over, 0));
    assert_eq!(machine.cancelled(), None);
}

#[test]
fn at_the_end_of_a_run_each_request_waits_once() {
    let mut machine = clients(HEDGED, 1, 1e9);
    let all = [sent(&mut machine), sent(&mut machine), sent(&mut machine)];
    assert_eq!(machine.waiting().count(), 3);
    machine.answer(all[2].due, all[0].ticket, Reply::of(Some(TIMEOUT)));
    machine.end_copies(all[2].due);
    assert_eq!(machine.waiting().collect::<Vec<_>>(), [all[1]]);
    assert_eq!(machine.between_attempts(all[2].due).count(), 0);
    assert_eq!((machine.cancelled(), machine.cancelled()), (Some(all[2]), None));
}
