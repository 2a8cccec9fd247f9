//! Lines with the host before the client's address, as in Apache's `%v %h %l %u %t`.

use std::collections::BTreeSet;

use super::Head;
use crate::field::is_address;

/// The lines that decide.
const LINES_JUDGED: usize = 2000;

/// Whether the second word is the client's and the first one the host, and what else the lines
/// could mean. An address in the second place is the client's if the first word is a name, or an
/// address that never changes while the second one does.
pub(super) fn host_first(head: &Head<'_>) -> (bool, Option<String>) {
    let lines = || head.lines().filter(|line| !line.is_empty()).take(LINES_JUDGED);
    let pairs: Vec<(&[u8], &[u8])> = lines().filter_map(first_pair).collect();
    let (named, pairs): (Vec<_>, Vec<_>) =
        pairs.into_iter().partition(|(first, _)| !is_address(first));
    let all = lines().count();
    if 2 * (named.len() + pairs.len()) <= all {
        return (false, None);
    }
    if named.len() >= pairs.len() {
        return (true, None);
    }
    let firsts: BTreeSet<&[u8]> = pairs.iter().map(|pair| pair.0).collect();
    let seconds: BTreeSet<&[u8]> = pairs.iter().map(|pair| pair.1).collect();
    let host_first = named.is_empty() && firsts.len() == 1 && seconds.len() > 1;
    let (client, other) = if host_first { ("second", "first") } else { ("first", "second") };
    let doubt = format!(
        "lines begin with two addresses (`{} {}`): the {client} is taken for the client's, not the \
         {other}; the log's own format after --format (a log_format or LogFormat) decides",
        String::from_utf8_lossy(pairs[0].0),
        String::from_utf8_lossy(pairs[0].1),
    );
    (host_first, Some(doubt))
}

/// The first two words of a line whose second word is an address. A first word that ends in a comma
/// is one of a list.
fn first_pair(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut words = line.splitn(3, |byte| *byte == b' ');
    let (first, second) = (words.next()?, words.next()?);
    (!first.ends_with(b",") && is_address(second)).then_some((first, second))
}
