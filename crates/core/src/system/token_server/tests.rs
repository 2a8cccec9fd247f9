use thinktime_file::schema::Source;
use thinktime_file::time::Nanos;

use super::TokenServerSummary;
use crate::attempt::{EventTimes, TokenCounts};
use crate::files::NoFiles;
use crate::system::{
    DemandSource, Departure, Job, JobRef, NodeSummary, Program, StationSummary, System, SystemModel,
};

/// Tokens by the number of the job, for courses worked out by hand.
struct Given(Vec<(u64, u32, u32)>);

impl DemandSource for Given {
    fn demand(&mut self, _: &Job, _: usize) -> Option<Nanos> {
        Some(Nanos(5))
    }

    fn tokens(&mut self, job: &Job) -> TokenCounts {
        let (_, prompt, output) = self.0[job.token as usize];
        TokenCounts { prompt, output }
    }
}

fn system(keys: &str, jobs: &[(u64, u32, u32)]) -> System<Given> {
    let text = format!("name = 's'\n[[token_server]]\nname = 'gpu'\n{keys}");
    let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    let program = Program::new(&model, &["ask"]);
    System::new(&model, &program, &["ask"], Given(jobs.to_vec()), 1)
}

fn arrive(system: &mut System<Given>, at: u64, token: u64) -> JobRef {
    system.arrive(Nanos(at), Job { token, session: token, serial: 0, kind: 0 })
}

/// Of jobs (arrival, tokens of prompt and output), the times of the first token and of the last,
/// which is the departure; `None` if a job was refused.
fn served(system: &mut System<Given>, jobs: &[(u64, u32, u32)]) -> Vec<Option<(u64, u64)>> {
    let mut found = vec![None; jobs.len()];
    let mut arriving = jobs.iter().zip(0..).peekable();
    loop {
        let next = arriving.peek().map_or(Nanos::MAX, |((at, ..), _)| Nanos(*at));
        if next.is_never() && system.next_event().is_never() {
            return found;
        }
        if system.next_event() <= next {
            let Some(left) = system.advance() else { continue };
            let EventTimes { count, first, last, .. } = system.take_events(&left);
            let (_, _, output) = jobs[left.job.token as usize];
            if left.error.is_none() {
                assert_eq!((count, last), (output, left.at));
                found[left.job.token as usize] = Some((first.0, last.0));
            }
        } else if let Some(((at, ..), token)) = arriving.next() {
            arrive(system, *at, token);
        }
    }
}

fn times(keys: &str, jobs: &[(u64, u32, u32)]) -> Vec<Option<(u64, u64)>> {
    served(&mut system(keys, jobs), jobs)
}

fn figures(system: &System<Given>, now: u64) -> (StationSummary, TokenServerSummary) {
    match system.summaries(Nanos(now)).pop() {
        Some(Some(NodeSummary::TokenServer { station, tokens })) => (station, tokens),
        other => panic!("{other:?} is no server of tokens"),
    }
}

const COSTS: &str = "step_time = '10ns'\nrequest_time = '1ns'\nprompt_token_time = '2ns'\n";

#[test]
fn a_step_takes_its_own_time_and_that_of_what_is_in_it() {
    // The first step reads 4 tokens: 10 + 1 + 8. Of the next ones each takes 11.
    assert_eq!(times(&format!("{COSTS}max_batch = 2"), &[(0, 4, 3)]), [Some((19, 41))]);
    // The second comes in the first step and is in the next: 10 + 2 + 2. Then each takes 12, and
    // alone 11.
    let two = [(0, 4, 3), (5, 1, 3)];
    let both = [Some((19, 45)), Some((33, 56))];
    assert_eq!(times(&format!("{COSTS}max_batch = 2"), &two), both);
    // Without a place it waits: 41 + 13, and two of 11.
    assert_eq!(times(&format!("{COSTS}max_batch = 1"), &two)[1], Some((54, 76)));
}

#[test]
fn a_step_reads_no_more_of_prompts_than_its_chunk() {
    // 3, 3 and 1 of the first prompt; the third step has room for 2 of the second, whose last one
    // comes in the fourth.
    let keys = format!("{COSTS}max_batch = 4\nprefill_chunk = 3");
    let jobs = [(0, 7, 2), (1, 3, 1)];
    // Steps end at 17, 34, 34 + 10 + 2 + 6 = 52, and 52 + 10 + 2 + 2 = 66.
    assert_eq!(times(&keys, &jobs), [Some((52, 66)), Some((66, 66))]);
}

#[test]
fn the_last_one_admitted_loses_its_memory_and_is_read_again() {
    let keys = format!("{COSTS}max_batch = 4\nmemory = 8");
    let jobs = [(0, 3, 4), (1, 3, 3)];
    let mut system = system(&keys, &jobs);
    // 10 + 1 + 6 = 17: 3 in memory. The second is read, beside one token more: 17 + 10 + 2 + 6 =
    // 35, 7 in memory. The third step needs two more: the second request makes room, and the first
    // is alone: 46 with 5 in memory. The second needs 3 + 1, and has to wait for the end at 57. It
    // is read again with its token: 57 + 10 + 1 + 8 = 76, and ends at 87.
    assert_eq!(served(&mut system, &jobs), [Some((17, 57)), Some((35, 87))]);
    let (station, tokens) = figures(&system, 87);
    assert_eq!((tokens.steps, tokens.preemptions), (6, 1));
    assert_eq!((tokens.prompt_tokens, tokens.output_tokens), (3 + 3 + 4, 4 + 3));
    assert_eq!((tokens.running_max, tokens.memory_max), (2, 7));
    // One request in all of 87 but two from 17 to 35; the gaps are 18, 11, 11 and 41, 11.
    assert!((tokens.running_mean - 105.0 / 87.0).abs() < 1e-12);
    assert_eq!((tokens.gaps[0].count(), tokens.gaps[0].mean_s()), (5, Some(92e-9 / 5.0)));
    assert_eq!(station.queue_length_max, 2);
}

#[test]
fn each_token_is_reported_in_the_event_that_gave_it() {
    let keys = format!("{COSTS}max_batch = 2");
    let mut system = system(&keys, &[(0, 4, 3), (5, 1, 3)]);
    let mut taken = Vec::new();
    system.take_tokens(&mut taken);
    arrive(&mut system, 0, 0);
    arrive(&mut system, 5, 1);
    let mut all = Vec::new();
    while !system.next_event().is_never() {
        let at = system.next_event().0;
        let left = system.advance();
        system.take_tokens(&mut taken);
        all.extend(taken.drain(..).map(|token| (at, token)));
        // What leaves has been given its last token.
        let given = left.map(|one| all.iter().filter(|(_, token)| *token == one.job.token).count());
        assert!(given.is_none_or(|number| number == 3));
    }
    // The steps end at 19, 33, 45 and 56.
    assert_eq!(all, [(19, 0), (33, 0), (33, 1), (45, 0), (45, 1), (56, 1)]);
}

#[test]
fn what_never_fits_into_the_memory_is_refused() {
    let keys = format!("{COSTS}max_batch = 4\nmemory = 8");
    assert_eq!(times(&keys, &[(0, 5, 4), (0, 6, 4), (0, 9, 1)]), [Some((21, 54)), None, None]);
}

#[test]
fn a_request_that_is_taken_back_gives_its_place_and_memory_to_others() {
    let keys = format!("{COSTS}max_batch = 1\nmemory = 8");
    let jobs = [(0, 4, 5), (0, 4, 1), (0, 8, 1)];
    let mut system = system(&keys, &jobs);
    let all: Vec<JobRef> = (0..3).map(|token| arrive(&mut system, 0, token)).collect();
    assert!(!system.withdraw(Nanos(3), all[0], 0, false), "it is in the batch");
    assert!(system.withdraw(Nanos(3), all[1], 1, false), "it waits");
    assert!(system.withdraw(Nanos(4), all[0], 0, true));
    // The step ends as it would have, at 19; the next one takes 10 + 1 + 16.
    let mut left: Vec<Departure> = Vec::new();
    while !system.next_event().is_never() {
        left.extend(system.advance());
    }
    let left: Vec<_> = left.iter().map(|one| (one.job.token, one.at)).collect();
    assert_eq!(left, [(2, Nanos(46))]);
    assert_eq!(figures(&system, 46).1.output_tokens, 1);
}

#[test]
fn the_load_is_the_time_that_full_steps_would_have_taken() {
    // Alone in a batch of 2: half of 10, and the times of its own.
    let jobs = [(0, 4, 3)];
    let mut alone = system(&format!("{COSTS}max_batch = 2"), &jobs);
    served(&mut alone, &jobs);
    assert!((figures(&alone, 50).0.load - (5.0 + 9.0 + 2.0 * 6.0) / 50.0).abs() < 1e-12);
    // Of its 8 places of memory it has 4, then 5 and 6: 19 - 10/2, 11 - 30/8, 11 - 20/8.
    let mut small = system(&format!("{COSTS}max_batch = 2\nmemory = 8"), &jobs);
    served(&mut small, &jobs);
    let (station, tokens) = figures(&small, 50);
    assert!((station.load - 26.0 / 50.0).abs() < 1e-12);
    assert!((tokens.fullness - (14.0 + 7.25 + 8.5) / 50.0).abs() < 1e-12);
    // Without another place it is the time of the steps.
    let mut one = system(&format!("{COSTS}max_batch = 1"), &jobs);
    served(&mut one, &jobs);
    assert!((figures(&one, 82).0.load - 0.5).abs() < 1e-12);
}

#[test]
fn wrong_servers_are_explained() {
    let message = |keys: &str| {
        let text = format!("name = 's'\n[[token_server]]\nname = 'gpu'\n{keys}");
        let read = SystemModel::parse(Source { file: "s.toml", text: &text }, &NoFiles);
        read.unwrap_err().to_string()
    };
    let zero = message("step_time = 0\nmax_batch = 1");
    assert!(zero.contains("token_server[1].step_time") && zero.contains("more than 0s"), "{zero}");
    assert!(message("step_time = '2h'\nmax_batch = 1").contains("at most an hour"));
    assert!(message("step_time = '1ms'\nmax_batch = 0").contains("from 1 to"));
    assert!(message("step_time = '1ms'").contains("max_batch"));
    for key in ["prefill_chunk", "memory"] {
        let found = message(&format!("step_time = '1ms'\nmax_batch = 2\n{key} = 0"));
        assert!(found.contains(key) && found.contains("at least 1"), "{found}");
    }
    let step = "steps = [{ use = 'gpu', demand = '1ms' }]";
    let step = message(&format!("step_time = '1ms'\nmax_batch = 2\n[[behaviour]]\n{step}"));
    assert!(step.contains("behaviour[1]") && step.contains("follow from the tokens"), "{step}");
}
