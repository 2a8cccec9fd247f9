//! Memory of a thread for one simple message.

use crate::date_text::DateText;

/// The largest simple message, in bytes.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// The buffers in which a thread reads and forwards simple messages. They are used only during one
/// message, so that one set is enough for all connections of the thread.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) received: Box<[u8]>,
    pub(crate) out: Vec<u8>,
    pub(crate) date: DateText,
}

impl Default for Scratch {
    fn default() -> Scratch {
        let received = vec![0; MESSAGE_BYTES_MAX].into_boxed_slice();
        let date = DateText::new("%a, %d %b %Y %H:%M:%S GMT");
        Scratch { received, out: Vec::with_capacity(2 * MESSAGE_BYTES_MAX), date }
    }
}
