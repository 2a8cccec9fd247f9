//! The tokens of a request to a language model, and of its response.

use std::sync::{Arc, OnceLock};

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::units::Dimension;
use thinktime_file::workload::TokensTable;

use crate::attempt::{SESSIONS, TokenCounts};
use crate::distribution::Distribution;
use crate::files::Files;
use crate::random::{Purpose, StreamFamily};
use crate::times::TraceCall;

/// The most tokens of a prompt, and of a response.
pub const TOKENS_MAX: u32 = 1 << 24;
/// A mean adds up at most this many probabilities, and leaves out those below this.
const TERMS_MAX: u32 = 1 << 20;
const NEGLIGIBLE: f64 = 1e-12;

/// Where numbers of tokens come from.
#[derive(Clone, Debug)]
enum Law {
    Distribution(Distribution),
    /// The rows of a trace, of which there is at least one.
    Rows(Arc<[u32]>),
}

/// The laws of the tokens of one kind of request.
#[derive(Clone, Debug)]
pub struct Tokens {
    prompt: Law,
    output: Law,
    prompts: StreamFamily,
    outputs: StreamFamily,
    /// The mean of the output, computed once, by the copy that is asked first.
    output_mean: Arc<OnceLock<f64>>,
}

impl Tokens {
    /// Those of a table, if it has them; an error comes with its key.
    pub(super) fn from_table(
        table: Option<&TokensTable>,
        files: &dyn Files,
    ) -> Result<Option<Tokens>, (&'static str, Invalid)> {
        let Some(table) = table else { return Ok(None) };
        let prompt = Law::parse(&table.prompt, files).map_err(|error| ("tokens.prompt", error))?;
        let output = Law::parse(&table.output, files).map_err(|error| ("tokens.output", error))?;
        Ok(Some(Tokens::under(0, prompt, output)))
    }

    /// The same in a workload of this seed.
    pub(super) fn seeded(self, seed: u64) -> Tokens {
        Tokens { output_mean: self.output_mean, ..Tokens::under(seed, self.prompt, self.output) }
    }

    fn under(seed: u64, prompt: Law, output: Law) -> Tokens {
        let family = StreamFamily::new(seed, Purpose::Tokens);
        let (prompts, outputs) = (family.member(0), family.member(1));
        Tokens { prompt, output, prompts, outputs, output_mean: Arc::default() }
    }

    /// Those of a session's request, at least 1 each, by the number that names its draws.
    #[must_use]
    pub fn of_request(&self, session: u64, serial: u64) -> TokenCounts {
        TokenCounts {
            prompt: self.prompt.of_request(&self.prompts, session, serial),
            output: self.output.of_request(&self.outputs, session, serial),
        }
    }

    /// The mean number of tokens of a response.
    #[must_use]
    pub fn output_mean(&self) -> f64 {
        *self.output_mean.get_or_init(|| self.output.pieces_mean(1))
    }

    /// The mean number of pieces of this many tokens in which a prompt is read.
    #[must_use]
    pub fn prompt_pieces_mean(&self, piece: u32) -> f64 {
        self.prompt.pieces_mean(piece)
    }

    /// The supremum of the powers whose moments of both laws are finite.
    #[must_use]
    pub fn tail_index(&self) -> f64 {
        self.prompt.tail_index().min(self.output.tail_index())
    }
}

impl Law {
    fn parse(scalar: &Scalar, files: &dyn Files) -> Result<Law, Invalid> {
        let text = scalar.text();
        if let Some(call) = TraceCall::parse(&text)? {
            return Law::of_trace(&call, files);
        }
        let law = Distribution::parse(&text, files)?.expect(Dimension::Number)?;
        if !law.mean().is_finite() {
            return Err(Invalid::new(format!(
                "`{law}` has an infinite mean: bound it, as in truncated({law}, hi=8192)"
            )));
        }
        Ok(Law::Distribution(law))
    }

    fn of_trace(call: &TraceCall, files: &dyn Files) -> Result<Law, Invalid> {
        let file = &call.file;
        if call.begin_s.is_some() || call.unit.is_some() {
            return Err(Invalid::new("a trace of tokens has no `begin` and no `unit`"));
        }
        let numbers = call.values(files)?.without_stamps(file)?.numbers;
        let most = f64::from(TOKENS_MAX);
        if let Some(bad) = numbers.iter().find(|number| !(0.0..=most).contains(*number)) {
            return Err(Invalid::new(format!(
                "{file}: `{bad}` is no number of tokens, of which there are 0 to {TOKENS_MAX}"
            )));
        }
        if numbers.is_empty() {
            return Err(Invalid::new(format!("{file}: holds no numbers")));
        }
        Ok(Law::Rows(numbers.into_iter().map(|number| number.round().max(1.0) as u32).collect()))
    }

    fn of_request(&self, family: &StreamFamily, session: u64, serial: u64) -> u32 {
        match self {
            Law::Distribution(law) => {
                let drawn = law.sample_whole(&mut family.substream(session, serial));
                drawn.clamp(1, TOKENS_MAX.into()) as u32
            }
            Law::Rows(rows) => {
                // Attempts of a request differ in the upper half alone: see `Attempt::serial`.
                let row = session % SESSIONS + (serial & u64::from(u32::MAX));
                rows[(row % rows.len() as u64) as usize]
            }
        }
    }

    /// E[ceil(N / piece)] of N tokens.
    fn pieces_mean(&self, piece: u32) -> f64 {
        match self {
            Law::Distribution(law) => pieces_mean(law, piece),
            Law::Rows(rows) => {
                let pieces: u64 = rows.iter().map(|tokens| u64::from(tokens.div_ceil(piece))).sum();
                pieces as f64 / rows.len() as f64
            }
        }
    }

    fn tail_index(&self) -> f64 {
        match self {
            Law::Distribution(law) => law.tail_index(),
            Law::Rows(_) => f64::INFINITY,
        }
    }
}

/// E[ceil(N / piece)] of a draw N, rounded and at least 1: the sum of P(N > k piece) over all k.
fn pieces_mean(law: &Distribution, piece: u32) -> f64 {
    let mut mean = 1.0;
    for number in 1..TERMS_MAX {
        let more = law.survival((f64::from(number) * f64::from(piece) + 0.5).next_down());
        if more < NEGLIGIBLE {
            return mean;
        }
        mean += more;
    }
    // So far out, rounding is nothing beside the number.
    mean.max(law.mean() / f64::from(piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Workload, WorkloadFiles};
    use thinktime_file::schema::Source;

    struct Given;

    impl Files for Given {
        fn read(&self, _name: &str) -> Result<String, Invalid> {
            Ok("at,in,out,id\n\
                2026-11-30 08:15:00,374,44,1\n\
                2026-11-30 08:15:01,0,0,2\n\
                2026-11-30 08:15:02,396,109,33554432\n"
                .to_owned())
        }
    }

    impl WorkloadFiles for Given {}

    fn workload(tokens: &str) -> Result<Workload, String> {
        let text = format!(
            "name = 'w'\nseed = 7\n[arrivals]\nmodel = 'open'\nrate = 1\n\
             [[request]]\nname = 'r'\ntokens = {{ {tokens} }}"
        );
        Workload::parse(Source { file: "w.toml", text: &text }, &Given).map_err(|e| e.to_string())
    }

    fn tokens(text: &str) -> Tokens {
        workload(text).unwrap().requests[0].tokens.clone().unwrap()
    }

    #[test]
    fn means_are_those_of_the_draws() {
        for text in [
            "prompt = 'uniform(0, 90)', output = 'geometric(12)'",
            "prompt = 'lognormal(mu=4, sigma=0.5)', output = 'exp(3)'",
        ] {
            let tokens = tokens(text);
            let number = 40_000;
            let all: Vec<TokenCounts> = (0..number).map(|at| tokens.of_request(at, 0)).collect();
            assert!(all.iter().all(|one| one.prompt > 0 && one.output > 0), "{text}");
            let mean = |of: &dyn Fn(&TokenCounts) -> u32| {
                all.iter().map(|one| f64::from(of(one))).sum::<f64>() / number as f64
            };
            // Five standard errors of 40,000 draws whose deviation is at most their mean.
            let near = |found: f64, mean: f64| (found / mean - 1.0).abs() < 5.0 / 200.0;
            assert!(near(mean(&|one| one.output), tokens.output_mean()), "{text}");
            for piece in [1, 7, 64] {
                let found = mean(&|one| one.prompt.div_ceil(piece));
                assert!(near(found, tokens.prompt_pieces_mean(piece)), "{text} {piece}");
            }
        }
    }

    #[test]
    fn rows_of_a_trace_come_one_after_another_and_to_all_attempts_alike() {
        let tokens =
            tokens("prompt = 'trace(a.csv, column=in)', output = 'trace(a.csv, column=out)'");
        let of = |session, index: u64, attempt: u64| {
            let found = tokens.of_request(session, attempt << 32 | index);
            (found.prompt, found.output)
        };
        assert_eq!([of(0, 0, 1), of(1, 0, 1), of(2, 0, 1)], [(374, 44), (1, 1), (396, 109)]);
        // The first row again after the last, and the next row for a session's next request.
        assert_eq!(of(3, 0, 1), of(0, 0, 1));
        assert_eq!(of(0, 1, 1), of(1, 0, 1));
        assert_eq!(of(0, 0, 2), of(0, 0, 1));
        // Each population begins with the first row.
        assert_eq!(of(5 * SESSIONS, 0, 1), of(0, 0, 1));
        assert_eq!(tokens.output_mean(), (44.0 + 1.0 + 109.0) / 3.0);
        assert_eq!(tokens.prompt_pieces_mean(100), (4.0 + 1.0 + 4.0) / 3.0);
        assert_eq!(tokens.tail_index(), f64::INFINITY);
    }

    #[test]
    fn wrong_laws_are_refused_at_their_keys() {
        let error = |text: &str| workload(text).unwrap_err();
        let infinite = error("prompt = 'pareto(shape=1, scale=9)', output = 5");
        assert!(infinite.contains("tokens.prompt") && infinite.contains("infinite mean"));
        let time = error("prompt = 9, output = '5ms'");
        assert!(time.contains("tokens.output"), "{time}");
        assert!(error("prompt = 9").contains("output"));
        for (column, reason) in [
            ("at", "the column `at` has stamps"),
            ("at, unit=ms", "no `begin` and no `unit`"),
            ("id", "`33554432` is no number of tokens"),
        ] {
            let error = error(&format!("output = 5, prompt = 'trace(a.csv, column={column})'"));
            assert!(error.contains(reason), "{error}");
        }
    }
}
