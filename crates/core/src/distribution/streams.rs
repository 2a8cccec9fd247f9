//! The streams of many draws at a time.

use crate::random::Stream;

/// The number of values that are drawn together. In one loop they take half the processor time of
/// values that are each waited for.
pub const MANY: usize = 32;

/// The streams of many draws.
pub trait Streams {
    /// Draws from the stream of the draw of this number; called once a draw, in their order.
    fn draw<T>(&mut self, number: usize, draw: impl FnOnce(&mut Stream) -> T) -> T;
}

/// All draws from one stream, one after another.
pub(super) struct One<'a>(pub(super) &'a mut Stream);

impl Streams for One<'_> {
    #[inline(always)]
    fn draw<T>(&mut self, _number: usize, draw: impl FnOnce(&mut Stream) -> T) -> T {
        draw(self.0)
    }
}

/// Each draw is the first of a stream of its own.
pub(super) struct OwnStreams<F>(pub(super) F);

impl<F: Fn(usize) -> Stream> Streams for OwnStreams<F> {
    #[inline(always)]
    fn draw<T>(&mut self, number: usize, draw: impl FnOnce(&mut Stream) -> T) -> T {
        draw(&mut (self.0)(number))
    }
}
