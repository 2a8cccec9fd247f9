//! What waits to be sent to a peer.

/// The most bytes of replies that may wait for a peer to take them. A peer can make any number of
/// them (pings, settings) without reading one; 256 KiB are 15,000 answers to pings.
pub const REPLY_BYTES_MAX: usize = 256 << 10;

/// A peer asked for replies, and took so few of them that more than [`REPLY_BYTES_MAX`] waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepliesUnread;

impl RepliesUnread {
    /// The name by which it is counted, whatever the protocol.
    pub const KIND: &str = "replies_unread";
}

/// What was written for a peer and not yet sent. What a client says of its own accord is bounded
/// by what it wants to say; what it is made to say, its replies, is bounded here.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    /// How many of them were sent.
    sent: usize,
    /// Bytes of replies that lie before the mark, and behind it; together at least as many as wait.
    before: usize,
    behind: usize,
    /// Once all that lies before this place was sent, so are the replies before it.
    mark: usize,
}

impl Outbox {
    /// What is to be sent next is appended here. It is the caller's to say, not the peer's.
    #[inline]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// What waits.
    #[inline]
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// So many bytes of what waited were sent.
    pub fn mark_sent(&mut self, count: usize) {
        self.sent += count;
        if self.sent >= self.bytes.len() {
            return self.discard();
        }
        if self.sent >= self.mark {
            (self.before, self.behind) = (self.behind, 0);
            self.mark = self.bytes.len();
        }
        // The beginning is given back now and then, not at each call, which would copy the rest.
        if self.sent > self.bytes.len() / 2 && self.sent > REPLY_BYTES_MAX {
            self.bytes.drain(..self.sent);
            self.mark -= self.sent;
            self.sent = 0;
        }
    }

    /// Forgets what waits.
    #[inline]
    pub fn discard(&mut self) {
        self.bytes.clear();
        (self.sent, self.before, self.behind, self.mark) = (0, 0, 0, 0);
    }

    /// Appends a reply to what the peer sent.
    ///
    /// # Errors
    /// When too many replies wait already. Close the connection then.
    pub fn reply(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), RepliesUnread> {
        if self.replies() > REPLY_BYTES_MAX {
            return Err(RepliesUnread);
        }
        let before = self.bytes.len();
        write(&mut self.bytes);
        self.behind += self.bytes.len() - before;
        Ok(())
    }

    /// The most bytes of replies that can be among what waits.
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

    /// A peer that always takes a little less than waits is no worse for it, however long it goes
    /// on; and what waits is what was written and not sent.
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
