//! Two futures, of which the first to end counts.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// The future that ended first.
#[derive(Debug)]
pub(crate) enum Either<A, B> {
    Left(A),
    Right(B),
}

/// Waits until one of two ends; the left one is polled first.
pub(crate) async fn either<A: Future, B: Future>(
    mut left: Pin<&mut A>,
    mut right: Pin<&mut B>,
) -> Either<A::Output, B::Output> {
    poll_fn(|context| {
        if let Poll::Ready(ended) = left.as_mut().poll(context) {
            return Poll::Ready(Either::Left(ended));
        }
        right.as_mut().poll(context).map(Either::Right)
    })
    .await
}
