//! `thinktime-fuzz SECONDS [SEED] [TARGET...]`: tries inputs made from the corpora, each target for
//! as long, and ends at the first of which something does not hold. The input is then in
//! `target/fuzz`, and is to become part of the corpus.
#![allow(clippy::print_stderr, reason = "this is a program for the terminal")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, process, thread};

use thinktime_core::time::Nanos;
use thinktime_fuzz::{TARGETS, Target, mutation};
use thinktime_net::Clock;

/// No input may take longer than this, on a machine that does other things too.
const INPUT_TIME_MAX: Nanos = Nanos(20_000_000_000);
/// The most memory that the process may hold, in bytes.
const MEMORY_BYTES_MAX: u64 = 2 << 30;

/// What is being read, and since when.
type Current = Arc<Mutex<(Nanos, &'static str, Vec<u8>)>>;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let (Some(seconds), seed) = (
        words.first().and_then(|word| word.parse::<f64>().ok()),
        words.get(1).and_then(|word| word.parse::<u64>().ok()).unwrap_or(process::id().into()),
    ) else {
        eprintln!("usage: thinktime-fuzz SECONDS [SEED] [TARGET...]");
        return ExitCode::from(2);
    };
    let wanted = words.get(2..).unwrap_or_default();
    let is_wanted =
        |target: &&Target| wanted.is_empty() || wanted.iter().any(|it| it == target.name);
    let targets: Vec<&'static Target> = TARGETS.iter().filter(is_wanted).collect();
    let share = seconds / targets.len() as f64;
    eprintln!("seed {seed}, {share:.1} s for each of {} targets", targets.len());
    let clock = Clock::start();
    let current: Current = Arc::new(Mutex::new((Nanos::ZERO, "", Vec::new())));
    let watched = Arc::clone(&current);
    thread::spawn(move || watch(&watched, clock));
    for target in targets {
        if !try_for(target, share, seed, clock, &current) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Tries inputs for so many seconds; says whether all held.
fn try_for(
    target: &'static Target,
    seconds: f64,
    seed: u64,
    clock: Clock,
    current: &Current,
) -> bool {
    let corpus = target.corpus();
    let end = clock.now().as_secs_f64() + seconds;
    let mut number = 0;
    while clock.now().as_secs_f64() < end {
        let bytes = mutation::input(target, &corpus, seed, number);
        *current.lock().unwrap_or_else(PoisonError::into_inner) =
            (clock.now(), target.name, bytes.clone());
        if catch_unwind(AssertUnwindSafe(|| (target.read)(&bytes))).is_err() {
            complain(target.name, &bytes, &format!("input {number} of seed {seed} does not hold"));
            return false;
        }
        number += 1;
    }
    eprintln!("{}: {number} inputs", target.name);
    true
}

/// Ends the process where an input takes too long or too much.
fn watch(current: &Current, clock: Clock) {
    loop {
        thread::sleep(Duration::from_millis(100));
        let now = clock.now();
        let what = {
            let (begun, name, bytes) = &*current.lock().unwrap_or_else(PoisonError::into_inner);
            let slow = !bytes.is_empty() && now.since(*begun) > INPUT_TIME_MAX;
            let large = memory_bytes() > MEMORY_BYTES_MAX;
            let why = if slow { "it takes too long" } else { "it takes too much memory" };
            (slow || large).then(|| (*name, bytes.clone(), why))
        };
        if let Some((name, bytes, why)) = what {
            complain(name, &bytes, why);
            process::exit(1);
        }
    }
}

/// What the process holds in memory.
fn memory_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
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
