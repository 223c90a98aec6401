//! Every row of the goals that is built.

use http::{HeaderMap, HeaderValue, Request, request};
use serde::de::IgnoredAny;
use tower_a2a_extensions::bench_support::{HeaderBench, reads_message};
use tower_a2a_extensions::{A2A_EXTENSIONS, ExtensionUri};

use crate::agents::{self, Front, KEYS, URIS, VALUE, call};
use crate::allocations::allocated;
use crate::bodies::{self, Content, Reply, event_json, naive};
use crate::callgrind::instructions;
use crate::checks;
use crate::scenarios::{Scenario, one_event};
use crate::table::{Goal, Row, Unit};
use crate::timing;

const KB: usize = 1 << 10;
const MB: usize = 1 << 20;

pub(crate) fn row(what: &str, unit: Unit, goal: Goal, mut measure: impl FnMut() -> f64 + 'static) -> Row {
    Row { what: what.into(), unit, goal, measure: Box::new(move || Ok(measure())) }
}

fn counted(what: &str, goal: Goal, measure: impl FnMut() -> Result<f64, String> + 'static) -> Row {
    Row { what: what.into(), unit: Unit::Instructions, goal, measure: Box::new(measure) }
}

/// What one round of a scenario allocates, once it is warm.
pub(crate) fn allocations_of(scenario: Scenario) -> f64 {
    let mut run = scenario.prepare();
    run();
    count(allocated(run).count)
}

pub(crate) fn count(allocations: usize) -> f64 {
    f64::from(u32::try_from(allocations).unwrap_or(u32::MAX))
}

pub(crate) fn all() -> Vec<Row> {
    let action =
        counted("an action, from the guard to its start, in memory", Goal::None, || instructions(Scenario::Action, 50));
    let store = counted("claim and start in the store of one process", Goal::AtMost(4_000.0), || {
        instructions(Scenario::Claim, 50)
    });
    let rows = [
        layers(),
        inactive(),
        stampings(),
        yardsticks(),
        calls(),
        requests(),
        events(),
        vec![store, action],
        crate::cards::rows(),
    ];
    let rows = rows.into_iter().flatten();
    #[cfg(feature = "grpc")]
    let rows = rows.chain(crate::grpc::rows());
    rows.collect()
}

/// What the layer adds to a call, exactly.
fn layers() -> Vec<Row> {
    let (at_most, none) = (Goal::AtMost, Goal::None);
    let fronts = [
        (Scenario::CallNothingManaged, "layer, nothing managed", at_most(1_600.0), at_most(4.0)),
        (Scenario::CallGate, "layer with a gate", at_most(6_000.0), at_most(8.0)),
        (Scenario::CallOnRequest, "layer with On Request", none, none),
        (Scenario::CallInactive, "layer, an extension installed, inactive", none, none),
    ];
    let rows = fronts.into_iter().flat_map(|(scenario, what, instructions_goal, allocations_goal)| {
        let more = move || Ok(instructions(scenario, 50)? - instructions(Scenario::CallBare, 50)?);
        let allocations = move || allocations_of(scenario) - allocations_of(Scenario::CallBare);
        let what = format!("{what}, 300 B: more");
        [counted(&what, instructions_goal, more), row(&what, Unit::Allocations, allocations_goal, allocations)]
    });
    rows.collect()
}

/// Nothing is active, but the agent may have written a key.
fn inactive() -> Vec<Row> {
    let sizes = [(4 * KB, "4 KB"), (64 * KB, "64 KB"), (MB, "1 MB")];
    let rows = sizes.into_iter().map(|(size, name)| {
        row(&format!("inactive search / own, {name}"), Unit::Ratio, Goal::AtMost(0.05), move || {
            let reply = Reply::of_size(size, Content::Text);
            let document = reply.to_bytes();
            let bench = checks::inactive(&document);
            timing::ratio(|| bench.document(&document), || reply.to_vec())
        })
    });
    let same =
        row("inactive, 64 KB: allocations beyond the list of one slice", Unit::Allocations, Goal::AtMost(0.0), || {
            let document = Reply::of_size(64 * KB, Content::Text).to_bytes();
            let bench = checks::inactive(&document);
            count(allocated(|| bench.document(&document)).count) - 1.0
        });
    rows.chain([same]).collect()
}

fn stampings() -> Vec<Row> {
    let kinds = [
        ("300 B", 300, Content::Text, 0.75),
        ("4 KB", 4 * KB, Content::Text, 0.35),
        ("64 KB", 64 * KB, Content::Text, 0.25),
        ("1 MB", MB, Content::Text, 0.25),
        ("64 KB of numbers", 64 * KB, Content::Numbers, 0.55),
        ("64 KB of escapes", 64 * KB, Content::Escapes, 1.0),
    ];
    let rows = kinds.into_iter().map(|(name, size, content, goal)| {
        row(&format!("stamping / own, {name}"), Unit::Ratio, Goal::AtMost(goal), move || {
            let reply = Reply::of_size(size, content);
            let document = reply.to_bytes();
            let bench = checks::stamping(1, &document);
            timing::ratio(|| bench.document(&document), || reply.to_vec())
        })
    });
    let per_byte = counted("stamping 1 MB of text, for each byte", Goal::AtMost(1.5), || {
        Ok(instructions(Scenario::Stamping1Mb, 3)? / count(Reply::of_size(MB, Content::Text).to_vec().len()))
    });
    let peak = row("stamping 16 MB: extra memory at most", Unit::Bytes, Goal::AtMost(64.0 * 1024.0), || {
        let document = Reply::of_size(16 * MB, Content::Text).to_bytes();
        let bench = checks::stamping(1, &document);
        count(allocated(|| bench.document(&document)).peak)
    });
    let several = [(2, "two", 1.15), (3, "three", 1.3)].into_iter().map(|(extensions, name, goal)| {
        row(&format!("{name} active extensions / one, 64 KB"), Unit::Ratio, Goal::AtMost(goal), move || {
            let document = Reply::of_size(64 * KB, Content::Text).to_bytes();
            let (several, one) = (checks::stamping(extensions, &document), checks::stamping(1, &document));
            timing::ratio(|| several.document(&document), || one.document(&document))
        })
    });
    rows.chain([per_byte, peak]).chain(several).collect()
}

/// Against other ways to do it.
fn yardsticks() -> Vec<Row> {
    let naive_rows = [("4 KB", 4 * KB, 10.0), ("64 KB", 64 * KB, 12.0), ("1 MB", MB, 12.0)];
    let naive_rows = naive_rows.into_iter().map(|(name, size, goal)| {
        row(&format!("naive / stamping, {name}"), Unit::Times, Goal::AtLeast(goal), move || {
            let document = Reply::of_size(size, Content::Text).to_bytes();
            let bench = checks::stamping(1, &document);
            timing::ratio(|| naive(&document, &URIS[..1], &KEYS[..1], VALUE), || bench.document(&document))
        })
    });
    let ignored = [("64 KB", 64 * KB), ("1 MB", MB)].into_iter().map(|(name, size)| {
        row(&format!("IgnoredAny / stamping, {name}"), Unit::Times, Goal::AtLeast(1.8), move || {
            let document = Reply::of_size(size, Content::Text).to_bytes();
            let bench = checks::stamping(1, &document);
            assert!(serde_json::from_slice::<IgnoredAny>(&document).is_ok());
            timing::ratio(|| serde_json::from_slice::<IgnoredAny>(&document).is_ok(), || bench.document(&document))
        })
    });
    naive_rows.chain(ignored).collect()
}

fn calls() -> Vec<Row> {
    let rows = [("300 B", 300, 1.35), ("4 KB", 4 * KB, 1.3), ("64 KB", 64 * KB, 1.25)];
    let rows = rows.into_iter().map(|(name, size, goal)| {
        row(&format!("whole call activated / not, {name}"), Unit::Ratio, Goal::AtMost(goal), move || {
            let service = agents::layered(Front::Stamping, Reply::of_size(size, Content::Text));
            let body = bodies::request(300);
            [Some(URIS[0]), None].into_iter().for_each(|asked| checks::answers(&service, &body, asked));
            timing::ratio(|| call(&service, &body, Some(URIS[0])), || call(&service, &body, None))
        })
    });
    rows.collect()
}

fn requests() -> Vec<Row> {
    let reading = [("64 KB", 64 * KB), ("1 MB", MB)].into_iter().map(|(name, size)| {
        row(&format!("reading the request / IgnoredAny, {name}"), Unit::Ratio, Goal::AtMost(1.3), move || {
            let body = bodies::request(size);
            let head = request_head();
            assert!(reads_message(&head, &body) && serde_json::from_slice::<IgnoredAny>(&body).is_ok());
            timing::ratio(|| reads_message(&head, &body), || serde_json::from_slice::<IgnoredAny>(&body).is_ok())
        })
    });
    let nanos = row("header, for each URI", Unit::Nanos, Goal::AtMost(30.0), move || {
        let (bench, headers) = header();
        timing::nanos(|| bench.negotiate(&headers), 8.0)
    });
    let allocations = row("header of 8 URIs", Unit::Allocations, Goal::AtMost(0.0), move || {
        let (bench, headers) = header();
        count(allocated(|| bench.negotiate(&headers)).count)
    });
    reading.chain([nanos, allocations]).collect()
}

pub(crate) fn request_head() -> request::Parts {
    Request::post("/message:send").body(()).expect("a good request").into_parts().0
}

/// A header with 8 declared URIs.
pub(crate) fn header() -> (HeaderBench, HeaderMap) {
    let uris = (0..8).map(|index| format!("https://example.com/ext/number-{index}/v1")).collect::<Vec<_>>();
    let bench = HeaderBench::new(uris.iter().map(|uri| ExtensionUri::new(uri.as_str()).expect("a good URI")));
    let line = HeaderValue::from_str(&uris.join(", ")).expect("a good header");
    let headers = HeaderMap::from_iter([(A2A_EXTENSIONS, line)]);
    assert_eq!(bench.negotiate(&headers), 8);
    (bench, headers)
}

/// A stream of events of 300 bytes.
fn events() -> Vec<Row> {
    let nanos = row("SSE, for each event beyond stamping its JSON", Unit::Nanos, Goal::AtMost(150.0), move || {
        let json = event_json(300);
        let (bench, (mut events, event)) = (checks::event_stamping(&json), one_event());
        timing::difference(|| events.push(event.clone()), || bench.document(&json), 1.0)
    });
    let memory = row("SSE, a million events: extra memory at most", Unit::Bytes, Goal::AtMost(4096.0), move || {
        let (mut events, event) = one_event();
        count(allocated(|| (0..1_000_000).map(|_| events.push(event.clone())).sum::<usize>()).peak)
    });
    vec![nanos, memory]
}
