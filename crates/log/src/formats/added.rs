//! The meanings of fields added behind a layout, chosen by their values in all of the first lines.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::field::{UNKNOWN, ip, is_address};

/// A field of a rest, without its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a [u8],
    pub(super) quoted: bool,
}

/// A field at one place, in the lines that have it.
#[derive(Debug)]
pub(super) struct Added<'a> {
    /// Its place among those added, from 0.
    pub(super) place: usize,
    pub(super) words: Vec<&'a [u8]>,
    quoted: bool,
    /// The number of all lines.
    lines: usize,
}

/// What decides about a reading.
pub(super) const DECIDES: &str =
    "the log's own format after --format (a log_format or LogFormat) decides";

/// Servers of a pool have fewer ports.
const PORTS_LEAST: usize = 8;

impl<'a> Added<'a> {
    /// The field at a place, if most lines have it.
    pub(super) fn of_most(place: usize, lines: &[Vec<Word<'a>>]) -> Option<Added<'a>> {
        let words: Vec<&Word<'_>> = lines.iter().filter_map(|line| line.get(place)).collect();
        (2 * words.len() > lines.len()).then(|| Added {
            place,
            words: words.iter().map(|word| word.text).collect(),
            quoted: words.iter().all(|word| word.quoted),
            lines: lines.len(),
        })
    }

    /// Whether the field is so in most lines.
    pub(super) fn most(&self, holds: impl Fn(&[u8]) -> bool) -> bool {
        2 * self.words.iter().filter(|word| holds(word)).count() > self.lines
    }

    /// The first value that is there.
    pub(super) fn first(&self) -> Option<&'a [u8]> {
        self.words.iter().copied().find(|word| *word != b"-")
    }

    /// The name of the field in messages.
    pub(super) fn name(&self) -> String {
        let shown = String::from_utf8_lossy(self.first().unwrap_or(b"-"));
        format!("field {} of those added (`{shown}`)", self.place + 1)
    }

    /// The place of `X-Forwarded-For`, and what else the lines could mean. A field that is empty in
    /// all of these lines may have addresses in later ones.
    pub(super) fn forwarded(
        columns: &[Added<'_>],
        clients: &BTreeSet<Vec<u8>>,
    ) -> (Option<usize>, Vec<String>) {
        let is_value = |word: &[u8]| word == b"-" || is_list(word);
        let addresses = columns.iter().filter(|one| one.most(is_value) || one.has_client_ports());
        let (own, fitting): (Vec<_>, Vec<_>) = addresses.partition(|column| column.is_own(clients));
        let mut doubts: Vec<String> = own
            .iter()
            .map(|column| {
                format!(
                    "{} is taken for the server's own address, not for X-Forwarded-For; {DECIDES}",
                    column.name()
                )
            })
            .collect();
        let empty = |column: &&&Added<'_>| column.first().is_none();
        let mut told: Vec<_> = fitting.iter().filter(|one| !empty(one)).collect();
        // Ranked by what says most; the sort keeps the order of equals.
        told.sort_by_key(|one| (!one.any(|word| word.contains(&b',')), !one.any(|w| w == b"-")));
        if let [chosen] = told[..]
            && chosen.is_same()
            && clients.len() > 1
        {
            doubts.push(format!(
                "{}, the same in all lines, is taken for X-Forwarded-For, not for the server's own \
                 address; {DECIDES}",
                chosen.name()
            ));
        }
        if let [chosen, other, ..] = told[..] {
            doubts.push(format!(
                "{} is taken for X-Forwarded-For, not {}; {DECIDES}",
                chosen.name(),
                other.name()
            ));
        }
        let open = || fitting.iter().find(|one| empty(one) && one.quoted);
        (told.first().copied().or_else(open).map(|one| one.place), doubts)
    }

    /// Whether the addresses are the server's own: all of a private network that the clients are
    /// not in, or the same in all lines while the clients vary. The same address in quotes may also
    /// be that of one client behind several proxies: `X-Forwarded-For` has spaces, and is quoted.
    fn is_own(&self, clients: &BTreeSet<Vec<u8>>) -> bool {
        if clients.len() < 2 || self.any(|word| word == b"-" || word.contains(&b',')) {
            return false;
        }
        let inside = clients.iter().all(|client| is_private(client));
        let own_inside = self.words.iter().all(|word| is_private(word));
        let same = self.is_same() && !self.quoted;
        if inside { same && own_inside } else { same || own_inside }
    }

    /// Whether the addresses have ports, as some proxies pass them on: those of clients vary, and
    /// those of servers do not.
    fn has_client_ports(&self) -> bool {
        let with_port = |word: &&&[u8]| is_forwarded(word) && !is_list(word);
        let words: Vec<&&[u8]> = self.words.iter().filter(with_port).collect();
        let first = |word: &&&[u8]| word.split(|byte| *byte == b',').next().map(<[u8]>::to_vec);
        let port = |word: Vec<u8>| word.rsplit(|byte| *byte == b':').next().map(<[u8]>::to_vec);
        let ports: BTreeSet<Vec<u8>> = words.iter().filter_map(first).filter_map(port).collect();
        self.quoted && self.most(is_forwarded) && ports.len() > PORTS_LEAST.max(words.len() / 2)
    }

    fn is_same(&self) -> bool {
        self.words.windows(2).all(|pair| pair[0] == pair[1])
    }

    pub(super) fn any(&self, holds: impl Fn(&[u8]) -> bool) -> bool {
        self.words.iter().any(|word| holds(word))
    }
}

/// Whether this is an address, or several with commas between them.
fn is_list(word: &[u8]) -> bool {
    is_list_of(word, |word| ip(word).is_some())
}

/// Whether this is a value of `X-Forwarded-For`: as a list, and addresses may have ports.
pub(super) fn is_forwarded(word: &[u8]) -> bool {
    is_list_of(word, is_address)
}

fn is_list_of(word: &[u8], is_one: impl Fn(&[u8]) -> bool) -> bool {
    let fits = |part: &[u8]| part == UNKNOWN || is_one(part);
    word != UNKNOWN && word.split(|byte| *byte == b',').all(|part| fits(part.trim_ascii()))
}

/// Whether an address is one of a private network, or of the machine itself.
pub(super) fn is_private(word: &[u8]) -> bool {
    match ip(word) {
        Some(IpAddr::V4(address)) => address.is_private() || address.is_loopback(),
        Some(IpAddr::V6(address)) => address.is_unique_local() || address.is_loopback(),
        None => false,
    }
}
