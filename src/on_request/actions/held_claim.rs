//! A claim that is held: whatever becomes of its holder, it is settled.

use std::sync::Arc;

use super::config::Actions;
use super::settlement::{ActionServices, InFlight, Settlement, SettlementJob, SettlementKind};
use super::staff::StaffNotice;
use super::store::{ActionKey, ClaimToken};

/// Made before the claim leaves, so that there is no moment in which it could be lost.
pub(super) struct HeldClaim {
    /// `None` once it is settled.
    open: Option<Box<OpenClaim>>,
    settlement: Arc<Settlement>,
}

struct OpenClaim {
    services: ActionServices,
    key: ActionKey,
    token: ClaimToken,
    notice: StaffNotice,
    staff_told: bool,
    start_sent: bool,
    /// What was answered, once it is done.
    reply: Option<Vec<u8>>,
    flight: InFlight,
}

impl HeldClaim {
    /// `None` where nothing could settle it: no timer, or too many are held already.
    pub(super) fn new(actions: &Actions, key: ActionKey, token: ClaimToken, notice: StaffNotice) -> Option<Self> {
        let settlement = Arc::clone(actions.settlement());
        let services = actions.services().clone();
        let flight = settlement.take_off(&services)?;
        let open =
            OpenClaim { services, key, token, notice, staff_told: false, start_sent: false, reply: None, flight };
        Some(Self { open: Some(Box::new(open)), settlement })
    }

    /// It was never claimed: there is nothing to settle.
    pub(super) fn disarm(mut self) {
        self.open = None;
    }

    pub(super) fn staff_told(&mut self) {
        self.open.iter_mut().for_each(|open| open.staff_told = true);
    }

    pub(super) fn start_sent(&mut self) {
        self.open.iter_mut().for_each(|open| open.start_sent = true);
    }

    /// It is done: from now on this is what is settled.
    pub(super) fn replied(&mut self, reply: &[u8]) {
        self.open.iter_mut().for_each(|open| open.reply = Some(reply.to_vec()));
    }

    pub(super) fn services(&self) -> Option<&ActionServices> {
        self.open.as_ref().map(|open| &open.services)
    }

    pub(super) fn token(&self) -> Option<ClaimToken> {
        self.open.as_ref().map(|open| open.token)
    }

    /// It is done and recorded; staff are told.
    pub(super) fn recorded(mut self) {
        self.settle(Some(SettlementKind::TellDone));
    }

    fn settle(&mut self, what: Option<SettlementKind>) {
        let Some(mut open) = self.open.take() else { return };
        let what = what.unwrap_or(match open.reply.take() {
            Some(reply) => SettlementKind::Complete(reply),
            None => SettlementKind::Abandon { staff_told: open.staff_told, start_sent: open.start_sent },
        });
        let OpenClaim { services, key, token, notice, flight, .. } = *open;
        self.settlement.send(SettlementJob { services, key, token, notice, what, flight });
    }
}

impl Drop for HeldClaim {
    fn drop(&mut self) {
        self.settle(None);
    }
}
