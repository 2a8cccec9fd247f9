//! `thinktime-fuzz SECONDS|Nx [SEED] [TARGET...]`: tries inputs made from the corpora, each target
//! for an equal time, or N whole tries. It ends at the first failing input,
//! which is then in `target/fuzz` and should be added to the corpus.
#![allow(clippy::print_stderr, reason = "this is a program for the terminal")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, process, thread};

use rustix::time::{ClockId, clock_gettime};
use thinktime_core::time::Nanos;
use thinktime_fuzz::{TARGETS, Target, mutation};
use thinktime_net::Clock;

/// The most processor time of an input, which is the same however busy the machine is.
const INPUT_CPU_MAX: Nanos = Nanos(20_000_000_000);
/// No input waits for anything: after this time it waits for ever.
const INPUT_TIME_MAX: Nanos = Nanos(600_000_000_000);
/// The most memory that the process may ever have held, in bytes.
const MEMORY_BYTES_MAX: u64 = 2 << 30;

/// How long each target is tried.
#[derive(Clone, Copy)]
enum Effort {
    /// For this many seconds.
    Seconds(f64),
    /// This many whole tries: the same on every machine.
    Times(u64),
}

impl Effort {
    /// `60`: this many seconds for all targets together; `10x`: times.
    fn parse(word: &str, targets: usize) -> Option<Effort> {
        match word.strip_suffix('x') {
            Some(times) => times.parse().ok().map(Effort::Times),
            None => word.parse().ok().map(|all: f64| Effort::Seconds(all / targets as f64)),
        }
    }
}

/// The input that is tried.
#[derive(Default)]
struct Trial {
    target: &'static str,
    bytes: Vec<u8>,
    begun: Nanos,
    /// The processor time of the process at its begin.
    cpu: Nanos,
}

type Current = Arc<Mutex<Trial>>;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let wanted = words.get(2..).unwrap_or_default();
    let is_wanted =
        |target: &&Target| wanted.is_empty() || wanted.iter().any(|it| it == target.name);
    let targets: Vec<&'static Target> = TARGETS.iter().filter(is_wanted).collect();
    let Some(effort) = words.first().and_then(|word| Effort::parse(word, targets.len())) else {
        eprintln!("usage: thinktime-fuzz SECONDS|Nx [SEED] [TARGET...]");
        return ExitCode::from(2);
    };
    let given = words.get(1).and_then(|word| word.parse::<u64>().ok());
    let seed = given.unwrap_or(process::id().into());
    eprintln!("seed {seed}, {} targets", targets.len());
    let clock = Clock::start();
    let current: Current = Arc::default();
    let watched = Arc::clone(&current);
    thread::spawn(move || watch(&watched, clock));
    for target in targets {
        if !holds(target, effort, seed, clock, &current) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Tries inputs; says whether all held.
fn holds(
    target: &'static Target,
    effort: Effort,
    seed: u64,
    clock: Clock,
    current: &Current,
) -> bool {
    let corpus = target.corpus();
    let begun = clock.now();
    let goes_on = |number: u64| match effort {
        Effort::Seconds(seconds) => clock.now().since(begun).as_secs_f64() < seconds,
        Effort::Times(times) => number < times * target.tried,
    };
    let (mut number, mut slowest) = (0, Nanos::ZERO);
    while goes_on(number) {
        let bytes = mutation::input(target, &corpus, seed, number);
        let cpu = cpu_time();
        *current.lock().unwrap_or_else(PoisonError::into_inner) =
            Trial { target: target.name, bytes: bytes.clone(), begun: clock.now(), cpu };
        if catch_unwind(AssertUnwindSafe(|| (target.read)(&bytes))).is_err() {
            complain(target.name, &bytes, &format!("input {number} of seed {seed} does not hold"));
            return false;
        }
        slowest = slowest.max(cpu_time().since(cpu));
        number += 1;
    }
    let (name, seconds, megabytes) = (target.name, slowest.as_secs_f64(), memory_bytes() >> 20);
    eprintln!("{name}: {number} inputs, at most {seconds:.2} CPU s each; {megabytes} MiB so far");
    true
}

/// Ends the process if an input takes too long or too much memory.
fn watch(current: &Current, clock: Clock) {
    loop {
        thread::sleep(Duration::from_millis(100));
        let trial = current.lock().unwrap_or_else(PoisonError::into_inner);
        let is_tried = !trial.bytes.is_empty();
        let why = if is_tried && cpu_time().since(trial.cpu) > INPUT_CPU_MAX {
            "it takes too long"
        } else if is_tried && clock.now().since(trial.begun) > INPUT_TIME_MAX {
            "it waits without an end"
        } else if memory_bytes() > MEMORY_BYTES_MAX {
            "it takes too much memory"
        } else {
            continue;
        };
        complain(trial.target, &trial.bytes, why);
        process::exit(1);
    }
}

/// The processor time of the process.
fn cpu_time() -> Nanos {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

/// The most memory that the process has held.
fn memory_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

fn complain(name: &str, bytes: &[u8], why: &str) {
    let folder = PathBuf::from("target/fuzz");
    let path = folder.join(format!("{name}-{}", process::id()));
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, bytes));
    match written {
        Ok(()) => eprintln!("{name}: {why}: {}", path.display()),
        Err(error) => eprintln!("{name}: {why}, and {} cannot be written: {error}", path.display()),
    }
}
