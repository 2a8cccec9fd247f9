//! The bytes that wait to be sent to a peer.

/// The most bytes of replies that may wait for a peer to read them. A peer can cause any number of
/// them (pings, settings) without reading one; 256 KiB are 15,000 answers to pings.
pub const REPLY_BYTES_MAX: usize = 256 << 10;

/// A peer caused replies, and read so few of them that more than [`REPLY_BYTES_MAX`] waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepliesUnread;

impl RepliesUnread {
    /// Its name in counts, for every protocol.
    pub const KIND: &str = "replies_unread";
}

/// Bytes written for a peer and not yet sent. A client's own data is bounded by its intent; its
/// replies to the peer are bounded here.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    /// The number of sent bytes.
    sent: usize,
    /// The number of bytes ever written before these.
    start: u64,
    /// Bytes of replies before the mark, and after it; together at least the waiting bytes.
    before: usize,
    behind: usize,
    /// Once everything before this place was sent, the replies before it were sent, too.
    mark: usize,
}

impl Outbox {
    /// Data to send is appended here, for the caller's own data and not for replies.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The waiting bytes.
    #[inline]
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// The number of bytes ever written.
    #[inline]
    #[must_use]
    pub fn written(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Removes sent bytes.
    pub fn mark_sent(&mut self, count: usize) {
        self.sent += count;
        if self.sent >= self.bytes.len() {
            return self.discard();
        }
        if self.sent >= self.mark {
            (self.before, self.behind) = (self.behind, 0);
            self.mark = self.bytes.len();
        }
        // The beginning is freed now and then, not at each call, which would copy the rest.
        if self.sent > self.bytes.len() / 2 && self.sent > REPLY_BYTES_MAX {
            self.bytes.drain(..self.sent);
            self.mark -= self.sent;
            self.start += self.sent as u64;
            self.sent = 0;
        }
    }

    /// Discards the waiting bytes.
    #[inline]
    pub fn discard(&mut self) {
        self.start += self.bytes.len() as u64;
        self.bytes.clear();
        (self.sent, self.before, self.behind, self.mark) = (0, 0, 0, 0);
    }

    /// Appends a reply to the peer's data.
    ///
    /// # Errors
    /// If too many replies wait already. Close the connection then.
    pub fn reply(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), RepliesUnread> {
        if self.replies() > REPLY_BYTES_MAX {
            return Err(RepliesUnread);
        }
        let before = self.bytes.len();
        write(&mut self.bytes);
        self.behind += self.bytes.len() - before;
        Ok(())
    }

    /// The most bytes of replies among the waiting bytes.
    #[inline]
    #[must_use]
    pub fn replies(&self) -> usize {
        self.before + self.behind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(out: &mut Outbox, length: usize) -> Result<(), RepliesUnread> {
        out.reply(|bytes| bytes.resize(bytes.len() + length, b'r'))
    }

    #[test]
    fn replies_that_nobody_takes_are_bounded() {
        let mut out = Outbox::default();
        let taken = (0..).take_while(|_| reply(&mut out, 17).is_ok()).count();
        assert_eq!(taken, REPLY_BYTES_MAX / 17 + 1);
        assert!(out.unsent().len() < REPLY_BYTES_MAX + 18);
    }

    #[test]
    fn ones_own_words_are_no_replies() {
        let mut out = Outbox::default();
        out.buffer().resize(10 * REPLY_BYTES_MAX, b'x');
        assert_eq!(reply(&mut out, 17), Ok(()));
        assert_eq!(out.replies(), 17);
    }

    /// A peer that always reads a little less than waits is allowed to, however long it lasts; and
    /// the waiting bytes are those written and not sent.
    #[test]
    fn what_was_sent_is_forgotten_even_if_something_always_waits() {
        let (mut out, mut written, mut sent) = (Outbox::default(), 0_usize, 0_usize);
        for turn in 0..100_000_usize {
            assert_eq!(reply(&mut out, 17), Ok(()), "turn {turn}");
            out.buffer().extend_from_slice(&[b'x'; 50]);
            written += 67;
            let count = out.unsent().len().saturating_sub(turn % 7 + 1);
            out.mark_sent(count);
            sent += count;
            assert_eq!(out.unsent().len(), written - sent);
            assert!(out.buffer().capacity() < 3 * REPLY_BYTES_MAX);
        }
        assert!(out.replies() < 10 * 17, "{}", out.replies());
    }

    #[test]
    fn the_order_of_bytes_is_kept() {
        let (mut out, mut all, mut seen) = (Outbox::default(), Vec::new(), Vec::new());
        for turn in 0..2000_usize {
            let part = vec![turn as u8; 1 + turn * 7 % 5000];
            all.extend_from_slice(&part);
            match turn % 3 {
                0 => out.reply(|bytes| bytes.extend_from_slice(&part)).unwrap(),
                _ => out.buffer().extend_from_slice(&part),
            }
            let count = out.unsent().len() * 9 / 10;
            seen.extend_from_slice(&out.unsent()[..count]);
            out.mark_sent(count);
        }
        seen.extend_from_slice(out.unsent());
        assert!(seen == all);
    }
}
