//! Requests whose begin and answer have a line each, as Fastify and Rails write them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Cut, Format, Head, Take};
use crate::reason::Reason;
use crate::time::Clock;

/// One of the two lines of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    /// Whether it is that of the begin.
    pub(crate) begins: bool,
    /// What both lines have: an identifier, or the process that wrote them.
    pub(crate) key: Vec<u8>,
    /// Whether the key is that of one request alone.
    pub(crate) unique: bool,
}

/// A begin without an answer is forgotten after this many lines, if others have its key.
const LINES_MAX: usize = 1000;
const MIXED: &str = "requests of one process overlap, and their lines have no identifier: those \
    that do have no status and no duration; Rails writes one by `config.log_tags = [:request_id]`";

/// A file whose lines are halves of requests.
#[derive(Debug)]
pub(super) struct Joined {
    lines: Arc<dyn Format>,
    doubts: Vec<String>,
}

impl Joined {
    /// Of a file with this begin, whose lines are read so.
    pub(super) fn new(lines: Arc<dyn Format>, head: &Head<'_>) -> Joined {
        let mixed = pairs(&*lines, head.bytes).iter().any(|pair| pair.mixed);
        let mut doubts = lines.doubts();
        doubts.extend(mixed.then(|| MIXED.to_owned()));
        Joined { lines, doubts }
    }
}

impl Format for Joined {
    fn cut(&self) -> Cut {
        Cut::Whole
    }

    /// Hands over the text from the line of a request's begin to that of its answer.
    fn parts<'a>(&self, file: &'a [u8], each: &mut dyn FnMut(&'a [u8])) -> Result<(), Reason> {
        for Pair { begin, answer, .. } in pairs(&*self.lines, file) {
            each(&file[begin.start..answer.unwrap_or(begin).end]);
        }
        let whole = memchr::memrchr(b'\n', file).map_or(0, |end| end + 1);
        if file[whole..].trim_ascii().is_empty() { Ok(()) } else { Err(Reason::Truncated) }
    }

    fn read(&self, part: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let first = memchr::memchr(b'\n', part);
        let answer = memchr::memrchr(b'\n', part).map(|end| &part[end + 1..]);
        self.lines.join(trimmed(&part[..first.unwrap_or(part.len())]), answer, clock, take)
    }

    fn unused_fields(&self) -> Vec<String> {
        self.lines.unused_fields()
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }

    fn unit_open(&self) -> bool {
        self.lines.unit_open()
    }
}

/// A request's lines.
#[derive(Debug)]
struct Pair {
    begin: Range<usize>,
    answer: Option<Range<usize>>,
    /// Whether another request with its key was under way, so that nobody can tell whose an answer
    /// is.
    mixed: bool,
}

/// A begin that waits for its answer: its place among the pairs, and its line.
type Waiting = (usize, usize);

/// All requests that begin in a text, in the order of their begins.
fn pairs(format: &dyn Format, text: &[u8]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut open: HashMap<Vec<u8>, Vec<Waiting>> = HashMap::new();
    let mut from = 0;
    for (line, end) in memchr::memchr_iter(b'\n', text).enumerate() {
        let range = from..end - usize::from(text[from..end].ends_with(b"\r"));
        from = end + 1;
        let Some(half) = format.half(&text[range.clone()]) else { continue };
        let waiting = open.entry(half.key.clone()).or_default();
        if half.begins {
            // After a restart of the program identifiers come again.
            waiting.retain(|(_, since)| !half.unique && line - since < LINES_MAX);
            waiting.push((pairs.len(), line));
            pairs.push(Pair { begin: range, answer: None, mixed: false });
            if waiting.len() > 1 {
                waiting.iter().for_each(|(place, _)| pairs[*place].mixed = true);
            }
        } else if !waiting.is_empty() {
            let (place, _) = waiting.remove(0);
            let pair = &mut pairs[place];
            pair.answer = (!pair.mixed).then_some(range);
        }
        if waiting.is_empty() {
            open.remove(&half.key);
        }
    }
    pairs
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
