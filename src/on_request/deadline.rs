//! The time that decisions may take.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Sleep;

use super::rules::Reason;
use super::shield::shielded;

/// How long the decisions of one gate or one question to the guard may take.
const DECISION_TIMEOUT: Duration = Duration::from_secs(5);

/// Why there is no result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum DeadlineFault {
    Passed,
    NoTimer,
}

impl From<DeadlineFault> for Reason {
    fn from(fault: DeadlineFault) -> Self {
        match fault {
            DeadlineFault::Passed => Self::TimedOut,
            DeadlineFault::NoTimer => Self::NoTimer,
        }
    }
}

/// One limit over several pieces of work. Nothing is armed until one of them is not ready at once.
pub(super) struct DecisionDeadline {
    limit: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    passed: bool,
}

impl DecisionDeadline {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self { limit: limit.unwrap_or(DECISION_TIMEOUT), timer: None, passed: false }
    }

    /// Waits for `work` as long as there is time. Work that is ready is taken, however late.
    pub(super) async fn run<F: Future>(&mut self, work: F) -> Result<F::Output, DeadlineFault> {
        let mut work = pin!(work);
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => self.poll_passed(cx).map(Err),
        })
        .await
    }

    fn poll_passed(&mut self, cx: &mut Context<'_>) -> Poll<DeadlineFault> {
        if self.passed {
            return Poll::Ready(DeadlineFault::Passed);
        }
        // Outside a runtime, or where its time driver is off, tokio's timer panics.
        match shielded(|| self.poll_timer(cx)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(true)) => {
                self.passed = true;
                Poll::Ready(DeadlineFault::Passed)
            }
            Ok(Poll::Ready(false)) | Err(_) => Poll::Ready(DeadlineFault::NoTimer),
        }
    }

    /// Ready with `true` where the time is over, with `false` where there is no timer.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if self.timer.is_none() && Handle::try_current().is_err() {
            return Poll::Ready(false);
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        timer.as_mut().poll(cx).map(|()| true)
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_limit_holds_over_all_work() {
        let started = tokio::time::Instant::now();
        let mut deadline = DecisionDeadline::new(Some(Duration::from_secs(3)));
        assert_eq!(deadline.run(tokio::time::sleep(Duration::from_secs(2))).await, Ok(()));
        assert_eq!(deadline.run(pending::<()>()).await, Err(DeadlineFault::Passed));
        assert_eq!(deadline.run(pending::<()>()).await, Err(DeadlineFault::Passed));
        assert_eq!(deadline.run(ready(1)).await, Ok(1));
        assert_eq!(started.elapsed().as_secs(), 3);
    }

    #[test]
    fn without_a_runtime_only_ready_work_is_taken() {
        let mut deadline = DecisionDeadline::new(None);
        let run = async { (deadline.run(ready(1)).await, deadline.run(pending::<()>()).await) };
        let polled = pin!(run).poll(&mut Context::from_waker(std::task::Waker::noop()));
        assert_eq!(polled, Poll::Ready((Ok(1), Err(DeadlineFault::NoTimer))));
    }

    #[test]
    fn without_a_time_driver_only_ready_work_is_taken() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut deadline = DecisionDeadline::new(None);
        let run = async { (deadline.run(ready(1)).await, deadline.run(pending::<()>()).await) };
        assert_eq!(runtime.block_on(run), (Ok(1), Err(DeadlineFault::NoTimer)));
    }
}
