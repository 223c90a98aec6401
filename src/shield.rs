//! Code of others that may panic: what it does must not reach the caller.

use std::future::Future;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project::{pin_project, pinned_drop};

/// The code panicked. The panic hook has had its say; the payload is dropped.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Panicked;

/// Runs `code` and catches its panic.
pub(crate) fn shielded<T>(code: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        // The payload's own destructor may panic; what comes of that is leaked.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            let _ = ManuallyDrop::new(payload);
        }
        Panicked
    })
}

/// A future whose panics end here, while it is polled and while it is dropped.
#[pin_project(PinnedDrop)]
pub(crate) struct Shielded<F> {
    /// `None` once it is done: what panicked is not polled again.
    #[pin]
    work: Option<F>,
}

impl<F> Shielded<F> {
    pub(crate) fn new(work: F) -> Self {
        Self { work: Some(work) }
    }
}

impl<F: Future> Future for Shielded<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let polled = match this.work.as_mut().as_pin_mut() {
            None => Err(Panicked),
            Some(work) => shielded(|| work.poll(cx)),
        };
        let done = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Ok(output),
            Err(panicked) => Err(panicked),
        };
        // A panic of the destructor must not take the output with it.
        drop(shielded(|| this.work.set(None)));
        Poll::Ready(done)
    }
}

#[pinned_drop]
impl<F> PinnedDrop for Shielded<F> {
    fn drop(self: Pin<&mut Self>) {
        let mut this = self.project();
        drop(shielded(|| this.work.set(None)));
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn, ready};

    use super::*;

    struct DropBomb;

    impl Drop for DropBomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    fn poll_once<F: Future>(work: F) -> Poll<Result<F::Output, Panicked>> {
        let mut work = Box::pin(Shielded::new(work));
        work.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop()))
    }

    #[test]
    fn b34_a_panic_while_polling_is_caught() {
        let panicking: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async { panic!("polled") });
        assert_eq!(poll_once(panicking), Poll::Ready(Err(Panicked)));
    }

    #[test]
    fn b34_a_panicking_destructor_does_not_unwind() {
        let bomb = DropBomb;
        let pending_bomb = async move {
            let _bomb = bomb;
            pending::<()>().await;
        };
        assert_eq!(poll_once(pending_bomb), Poll::Pending);
        let bomb = DropBomb;
        let mut done = ready(7);
        let ready_bomb = poll_fn(move |cx| {
            let _ = &bomb;
            Pin::new(&mut done).poll(cx)
        });
        assert_eq!(poll_once(ready_bomb), Poll::Ready(Ok(7)));
    }
}
