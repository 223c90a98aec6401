//! A time limit that costs nothing until something has to be waited for.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Sleep, sleep};

use crate::shield::shielded;

/// Why there is nothing more to wait for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DeadlineFault {
    /// The time is over.
    Passed,
    /// No timer can be had: no tokio runtime, or one whose time driver is off. Nothing may wait
    /// for ever, so it counts as over.
    NoTimer,
}

/// One limit over several pieces of work. It starts to run when the first of them is not ready.
#[derive(Debug)]
pub(crate) struct Deadline {
    limit: Duration,
    timer: DeadlineTimer,
}

#[derive(Debug)]
enum DeadlineTimer {
    Unarmed,
    Running(Pin<Box<Sleep>>),
    Over(DeadlineFault),
}

impl Deadline {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, timer: DeadlineTimer::Unarmed }
    }

    /// Ready where the time is over; otherwise the task is woken when it is.
    pub(crate) fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<DeadlineFault> {
        loop {
            self.timer = match &mut self.timer {
                DeadlineTimer::Unarmed => match start(self.limit) {
                    Some(sleep) => DeadlineTimer::Running(sleep),
                    None => DeadlineTimer::Over(DeadlineFault::NoTimer),
                },
                DeadlineTimer::Running(sleep) => {
                    std::task::ready!(sleep.as_mut().poll(cx));
                    DeadlineTimer::Over(DeadlineFault::Passed)
                }
                DeadlineTimer::Over(fault) => return Poll::Ready(*fault),
            };
        }
    }

    /// Waits for `work` as long as there is time. Work that is ready is taken, however late.
    pub(crate) async fn run<F: Future>(&mut self, work: F) -> Result<F::Output, DeadlineFault> {
        let mut work = pin!(work);
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => self.poll_over(cx).map(Err),
        })
        .await
    }
}

/// Whether a deadline can be kept where this is asked.
pub(crate) fn has_timer() -> bool {
    start(Duration::ZERO).is_some()
}

/// `None` outside a tokio runtime, and in one whose time driver is off: there tokio panics.
fn start(limit: Duration) -> Option<Pin<Box<Sleep>>> {
    Handle::try_current().ok()?;
    shielded(|| Box::pin(sleep(limit))).ok()
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(3);

    #[tokio::test(start_paused = true)]
    async fn one_limit_holds_over_all_work() {
        let started = tokio::time::Instant::now();
        let mut deadline = Deadline::new(LIMIT);
        assert_eq!(deadline.run(tokio::time::sleep(Duration::from_secs(2))).await, Ok(()));
        assert_eq!(deadline.run(pending::<()>()).await, Err(DeadlineFault::Passed));
        assert_eq!(deadline.run(pending::<()>()).await, Err(DeadlineFault::Passed));
        assert_eq!(deadline.run(ready(1)).await, Ok(1));
        assert_eq!(started.elapsed(), LIMIT);
    }

    #[test]
    fn without_a_runtime_only_ready_work_is_taken() {
        let mut deadline = Deadline::new(LIMIT);
        let run = async { (deadline.run(ready(1)).await, deadline.run(pending::<()>()).await) };
        let polled = pin!(run).poll(&mut Context::from_waker(std::task::Waker::noop()));
        assert_eq!(polled, Poll::Ready((Ok(1), Err(DeadlineFault::NoTimer))));
    }

    #[test]
    fn without_a_time_driver_only_ready_work_is_taken() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut deadline = Deadline::new(LIMIT);
        let run = async { (deadline.run(ready(1)).await, deadline.run(pending::<()>()).await) };
        assert_eq!(runtime.block_on(run), (Ok(1), Err(DeadlineFault::NoTimer)));
    }
}
