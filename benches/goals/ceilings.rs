//! Regression ceilings: what small steps may cost, so that a change which makes one dearer is seen.
//!
//! They are no goals. Instructions stand about a twentieth over what was measured when the line was
//! written, allocations at it. Lower them after a gain; raise one only with a reason in the commit.

use crate::callgrind::instructions;
use crate::rows::allocations_of;
use crate::scenarios::Scenario;
use crate::table::{Goal, Row, Unit};

/// What is measured, beyond which other scenario, the instructions and the allocations.
type Ceiling = (&'static str, Scenario, Option<Scenario>, u32, u32);

const CEILINGS: &[Ceiling] = {
    use Scenario::*;
    &[
        ("layer, nothing managed, 300 B: more", CallNothingManaged, Some(CallBare), 4_150, 3),
        ("layer with a gate, 300 B: more", CallGate, Some(CallBare), 23_100, 10),
        ("layer with On Request, 300 B: more", CallOnRequest, Some(CallBare), 30_700, 18),
        ("layer, an extension installed, inactive, 300 B: more", CallInactive, Some(CallBare), 9_900, 5),
        ("stamping 300 B", Stamping300, None, 12_200, 4),
        ("stamping 4 KB", Stamping4Kb, None, 27_700, 8),
        ("stamping 64 KB", Stamping64Kb, None, 104_000, 15),
        ("inactive, 4 KB", Inactive4Kb, None, 3_200, 1),
        ("inactive, 64 KB", Inactive64Kb, None, 70_500, 1),
        ("reading a request of 300 B", Read300, None, 9_450, 2),
        ("header of 8 URIs", HeaderOf8, None, 3_000, 0),
        ("one SSE event of 300 B", OneEvent, None, 10_800, 5),
        ("claim and start in the store of one process", Claim, None, 2_250, 3),
        ("an action, from the guard to its start", Action, None, 115_000, 93),
        #[cfg(feature = "grpc")]
        ("stamping a gRPC frame of 300 B", Grpc300, None, 5_800, 2),
        #[cfg(feature = "grpc")]
        ("stamping a gRPC frame of 4 KB", Grpc4Kb, None, 14_100, 4),
        #[cfg(feature = "grpc")]
        ("stamping a gRPC frame of 64 KB", Grpc64Kb, None, 35_000, 12),
    ]
};

pub(crate) fn rows() -> Vec<Row> {
    CEILINGS.iter().copied().flat_map(rows_of).collect()
}

fn rows_of((what, scenario, beyond, most_instructions, most_allocations): Ceiling) -> [Row; 2] {
    let counted = move || Ok(instructions(scenario, 50)? - beyond.map_or(Ok(0.0), |one| instructions(one, 50))?);
    let allocated = move || Ok(allocations_of(scenario) - beyond.map_or(0.0, allocations_of));
    let row = |unit, most: u32, measure| Row { what: what.into(), unit, goal: Goal::AtMost(most.into()), measure };
    [
        row(Unit::Instructions, most_instructions, Box::new(counted)),
        row(Unit::Allocations, most_allocations, Box::new(allocated)),
    ]
}
