//! Joins the line of a request's begin with that of its answer, while a file is read: what waits
//! for an answer is kept, and no more than that.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use super::Format;

/// The byte between a begin and its answer. Lines lose it, if they have it.
pub(super) const BETWEEN: u8 = 0x1e;
/// A begin whose key others have, too, waits for its answer for this many lines, if more of them
/// come.
const LINES_MAX: u64 = 1000;
/// Requests keep the order of their begins, unless one takes so long that more is kept behind it.
const ORDERED_BYTES_MAX: usize = 256 << 10;
/// If more of those is kept, the oldest of them is taken to have no answer.
const LATE_BYTES_MAX: usize = 16 << 20;

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

/// Requests that have begun, in the order of their begins.
#[derive(Debug)]
pub(crate) struct Joiner {
    format: Arc<dyn Format>,
    /// Those that are not handed over yet, the first of which has the number `first`.
    pairs: VecDeque<Pair>,
    first: u64,
    /// The bytes of `pairs`.
    bytes: usize,
    /// The most of them behind a request that waits.
    bytes_max: usize,
    /// Those before `first` that still wait for an answer, by their numbers.
    late: BTreeMap<u64, Pair>,
    late_bytes: usize,
    /// The numbers of those that wait for an answer, by their keys.
    waiting: HashMap<Vec<u8>, Vec<u64>>,
    /// The number of lines so far.
    lines: u64,
    has_mixed: bool,
}

/// A request that has begun.
#[derive(Debug)]
struct Pair {
    key: Vec<u8>,
    begin: Vec<u8>,
    answer: Option<Vec<u8>>,
    /// The number of lines before it.
    since: u64,
    /// Whether another request with its key was under way, so that nobody can tell whose an answer
    /// is.
    mixed: bool,
    waits: bool,
}

impl Pair {
    fn bytes(&self) -> usize {
        self.key.len() + self.begin.len() + self.answer.as_ref().map_or(0, Vec::len)
    }

    /// Adds both lines, as one.
    fn join(&self, joined: &mut Vec<u8>) {
        add(&self.begin, joined);
        if let Some(answer) = &self.answer {
            joined.push(BETWEEN);
            add(answer, joined);
        }
        joined.push(b'\n');
    }
}

impl Joiner {
    pub(super) fn new(format: Arc<dyn Format>) -> Joiner {
        Joiner {
            format,
            pairs: VecDeque::new(),
            first: 0,
            bytes: 0,
            bytes_max: ORDERED_BYTES_MAX,
            late: BTreeMap::new(),
            late_bytes: 0,
            waiting: HashMap::new(),
            lines: 0,
            has_mixed: false,
        }
    }

    /// Of a file that grows: each request is handed over when it is answered.
    pub(crate) fn of_live(self) -> Joiner {
        Joiner { bytes_max: 0, ..self }
    }

    /// Whether requests with one key have overlapped.
    pub(super) fn has_mixed(&self) -> bool {
        self.has_mixed
    }

    /// Replaces the whole lines in the first bytes of a buffer by the requests that they complete,
    /// one in a line, and says how long these are.
    pub(crate) fn replace(&mut self, buffer: &mut Vec<u8>, length: usize) -> usize {
        let mut joined = Vec::new();
        self.take(&buffer[..length], &mut joined);
        put(joined, buffer)
    }

    /// Puts all others into a buffer, since they have no answer, and says how long they are.
    pub(crate) fn end(&mut self, buffer: &mut Vec<u8>) -> usize {
        self.waiting.clear();
        let mut joined = Vec::new();
        for pair in self.late.values().chain(&self.pairs) {
            pair.join(&mut joined);
        }
        (self.late, self.pairs) = (BTreeMap::new(), VecDeque::new());
        put(joined, buffer)
    }

    /// Takes whole lines, and hands over the requests that can be.
    pub(super) fn take(&mut self, text: &[u8], joined: &mut Vec<u8>) {
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', text) {
            let line = &text[from..end];
            from = end + 1;
            self.lines += 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            match self.format.half(line) {
                Some(half) if half.begins => self.begin(half, line, joined),
                Some(half) => self.answer(&half.key, line, joined),
                None => continue,
            }
            self.hand_over(joined);
        }
    }

    fn begin(&mut self, half: Half, line: &[u8], joined: &mut Vec<u8>) {
        // A key that is not there has no request that waits.
        let mut others = self.waiting.remove(&half.key).unwrap_or_default();
        let lines = self.lines;
        others.retain(|number| {
            let Some(pair) = self.pair(*number) else { return false };
            // After a restart of the program identifiers come again.
            pair.waits = !half.unique && lines - pair.since < LINES_MAX;
            pair.mixed |= pair.waits;
            let waits = pair.waits;
            if !waits {
                self.late_done(*number, joined);
            }
            waits
        });
        let mixed = !others.is_empty();
        self.has_mixed |= mixed;
        others.push(self.first + self.pairs.len() as u64);
        self.waiting.insert(half.key.clone(), others);
        let (key, begin) = (half.key, line.to_vec());
        let pair = Pair { key, begin, answer: None, since: lines, mixed, waits: true };
        self.bytes += pair.bytes();
        self.pairs.push_back(pair);
    }

    fn answer(&mut self, key: &[u8], line: &[u8], joined: &mut Vec<u8>) {
        let Some(waiting) = self.waiting.get_mut(key) else { return };
        let number = waiting.remove(0);
        if waiting.is_empty() {
            self.waiting.remove(key);
        }
        let Some(pair) = self.pair(number) else { return };
        pair.waits = false;
        if !pair.mixed {
            pair.answer = Some(line.to_vec());
            match number < self.first {
                true => self.late_bytes += line.len(),
                false => self.bytes += line.len(),
            }
        }
        self.late_done(number, joined);
    }

    /// A request that waits for its answer, by its number.
    fn pair(&mut self, number: u64) -> Option<&mut Pair> {
        match number.checked_sub(self.first) {
            Some(place) => self.pairs.get_mut(usize::try_from(place).ok()?),
            None => self.late.get_mut(&number),
        }
    }

    /// Hands over a request, if it is one of those behind which others no longer wait.
    fn late_done(&mut self, number: u64, joined: &mut Vec<u8>) {
        if let Some(pair) = self.late.remove(&number) {
            self.late_bytes -= pair.bytes();
            pair.join(joined);
        }
    }

    /// Hands over the first requests, as far as they need no longer wait.
    fn hand_over(&mut self, joined: &mut Vec<u8>) {
        while self.pairs.front().is_some_and(|it| !it.waits || self.bytes > self.bytes_max) {
            let Some(pair) = self.pairs.pop_front() else { return };
            self.bytes -= pair.bytes();
            if pair.waits {
                self.late_bytes += pair.bytes();
                self.late.insert(self.first, pair);
            } else {
                pair.join(joined);
            }
            self.first += 1;
        }
        while self.late_bytes > LATE_BYTES_MAX
            && let Some((number, pair)) = self.late.first_key_value()
        {
            let (number, key) = (*number, pair.key.clone());
            self.late_done(number, joined);
            // As above: no entry means that nothing waits.
            let waiting = self.waiting.remove(&key).unwrap_or_default();
            let others: Vec<u64> = waiting.into_iter().filter(|other| *other != number).collect();
            if !others.is_empty() {
                self.waiting.insert(key, others);
            }
        }
    }
}

/// Replaces a buffer by a text, unless the text is empty, and says how long the text is.
fn put(text: Vec<u8>, buffer: &mut Vec<u8>) -> usize {
    let length = text.len();
    if length > 0 {
        *buffer = text;
    }
    length
}

/// Adds a line without the byte that divides it from others.
fn add(line: &[u8], joined: &mut Vec<u8>) {
    match memchr::memchr(BETWEEN, line) {
        None => joined.extend_from_slice(line),
        Some(_) => joined.extend(line.iter().filter(|byte| **byte != BETWEEN)),
    }
}
