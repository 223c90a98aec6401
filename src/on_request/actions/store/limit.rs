//! How often something may be done: the generic cell rate algorithm.

use std::time::Duration;

/// So many at once, and as many again in each period.
///
/// ```
/// use std::time::Duration;
/// use tower_a2a_extensions::on_request::actions::store::ActionLimit;
///
/// let three_a_minute = ActionLimit::new(3, Duration::from_secs(60));
/// assert_eq!(three_a_minute.spacing(), Duration::from_secs(20));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ActionLimit {
    burst: u32,
    period: Duration,
}

impl ActionLimit {
    /// Nothing at all.
    pub const NOTHING: Self = Self { burst: 0, period: Duration::from_secs(1) };

    /// `burst` in a row; one more becomes free every `period / burst`. None at once is none ever,
    /// and a period under a millisecond counts as one.
    #[must_use]
    pub const fn new(burst: u32, period: Duration) -> Self {
        let period = if period.as_millis() == 0 { Duration::from_millis(1) } else { period };
        Self { burst, period }
    }

    /// How many in a row.
    #[must_use]
    pub const fn burst(self) -> u32 {
        self.burst
    }

    /// The period in which `burst` become free again.
    #[must_use]
    pub const fn period(self) -> Duration {
        self.period
    }

    /// The time in which one becomes free again, in whole microseconds and at least one.
    #[must_use]
    pub fn spacing(self) -> Duration {
        Duration::from_micros(self.spacing_micros())
    }

    fn spacing_micros(self) -> u64 {
        let period = u64::try_from(self.period.as_micros()).unwrap_or(u64::MAX);
        period.checked_div(self.burst.into()).unwrap_or(u64::MAX).max(1)
    }

    /// What the state of a limit becomes by one more at `now`, or `None` where it does not allow
    /// one. The state is when the last that was charged would be paid for, in microseconds; 0 where
    /// there is none.
    #[must_use]
    pub fn charge(self, clock: LimitClock) -> Option<u64> {
        if self.burst == 0 {
            return None;
        }
        let spacing = self.spacing_micros();
        let tolerance = spacing.saturating_mul(u64::from(self.burst - 1));
        let paid = clock.paid.max(clock.now);
        (paid - clock.now <= tolerance).then(|| paid.saturating_add(spacing))
    }
}

/// The time and the state of a limit, both in microseconds of the store's clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "two numbers of one unit, named so that they are not swapped")]
pub struct LimitClock {
    /// Now.
    pub now: u64,
    /// What the limit was last charged to.
    pub paid: u64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: u64 = 60_000_000;

    fn allowed(limit: ActionLimit, times: &[u64]) -> Vec<bool> {
        let mut paid = 0;
        let mut charge = |now| {
            let charged = limit.charge(LimitClock { now, paid });
            paid = charged.unwrap_or(paid);
            charged.is_some()
        };
        times.iter().map(|now| charge(*now)).collect()
    }

    #[test]
    fn three_in_a_row_then_one_every_third_of_the_period() {
        let limit = ActionLimit::new(3, Duration::from_secs(60));
        let start = 1_700_000_000_000_000;
        let times = [0, 1, 2, 3, MINUTE / 3, MINUTE / 3 + 1, MINUTE * 3].map(|after| start + after);
        assert_eq!(allowed(limit, &times), [true, true, true, false, true, false, true]);
    }

    #[test]
    fn e8_a_clock_that_goes_back_gives_nothing_away() {
        let limit = ActionLimit::new(2, Duration::from_secs(60));
        let start = 1_700_000_000_000_000;
        assert_eq!(
            allowed(limit, &[start, start, start - MINUTE, start - 5, start]),
            [true, true, false, false, false]
        );
    }

    #[test]
    fn nothing_and_the_largest_numbers() {
        assert_eq!(allowed(ActionLimit::NOTHING, &[0, u64::MAX]), [false, false]);
        assert_eq!(allowed(ActionLimit::new(0, Duration::MAX), &[1]), [false]);
        assert_eq!(allowed(ActionLimit::new(u32::MAX, Duration::ZERO), &[1, 1]), [true, true]);
        assert_eq!(allowed(ActionLimit::new(1, Duration::MAX), &[1, u64::MAX - 1]), [true, false]);
    }

    proptest! {
        /// Within any window of one period at most two bursts, whatever the times are.
        #[test]
        fn no_window_holds_more_than_two_bursts(burst in 1_u32..6, steps in prop::collection::vec(0_u64..40_000_000, 1..80)) {
            let limit = ActionLimit::new(burst, Duration::from_secs(60));
            let times = steps.iter().scan(1_u64 << 50, |now, step| { *now += step; Some(*now) }).collect::<Vec<_>>();
            let taken = times.iter().zip(allowed(limit, &times)).filter(|(_, yes)| *yes).map(|(time, _)| *time).collect::<Vec<_>>();
            for first in &taken {
                let within = taken.iter().filter(|time| *time >= first && **time - first < MINUTE).count();
                prop_assert!(within <= 2 * burst as usize);
            }
        }
    }
}
