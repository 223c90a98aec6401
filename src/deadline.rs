//! A time limit that costs nothing until something has to be waited for.

use std::future::Future;
use std::panic::catch_unwind;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// Starts to run at the first [`poll_expired`](Self::poll_expired).
#[derive(Debug)]
pub(crate) struct Deadline {
    after: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    pub(crate) fn new(after: Duration) -> Self {
        Self { after, sleep: None }
    }

    /// Whether the time is over; otherwise the task is woken when it is. Where no timer can be had
    /// it is over at once: nothing may wait for ever.
    pub(crate) fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.sleep.is_none() {
            self.sleep = start(self.after);
        }
        match &mut self.sleep {
            Some(sleep) => sleep.as_mut().poll(cx),
            None => Poll::Ready(()),
        }
    }
}

/// `None` outside a tokio runtime, and in one whose time driver is off (there tokio panics).
fn start(after: Duration) -> Option<Pin<Box<Sleep>>> {
    tokio::runtime::Handle::try_current().ok()?;
    catch_unwind(|| Box::pin(sleep(after))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_timer_the_time_is_over() {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        assert!(Deadline::new(Duration::from_secs(5)).poll_expired(&mut cx).is_ready());
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_runs_from_the_first_poll() {
        let mut deadline = Deadline::new(Duration::from_secs(5));
        tokio::time::advance(Duration::from_secs(9)).await;
        let started = tokio::time::Instant::now();
        std::future::poll_fn(|cx| deadline.poll_expired(cx)).await;
        assert_eq!(started.elapsed(), Duration::from_secs(5));
    }
}
