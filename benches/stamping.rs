//! Development bench of the stamping alone; `goals` is the one that decides.
#![allow(clippy::expect_used, missing_docs)]

use std::sync::Arc;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use tower_a2a_extensions::bench_support::StampingBench;
use tower_a2a_extensions::{A2aCall, A2aExtension, ExtensionUri, MessageGate, OutgoingObject, Stamp};

struct Fixed;

impl A2aExtension for Fixed {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static("https://example.com/fixed/v1")
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::set(1)
    }
}

fn documents(criterion: &mut Criterion) {
    let bench = StampingBench::new(vec![Arc::new(Fixed)], true);
    let mut group = criterion.benchmark_group("document");
    for size in [300, 4 << 10, 64 << 10] {
        let text = "a lantern ceremony lasts two hours. ".repeat(size / 36);
        let message = json!({"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": text}]});
        let document = Bytes::from(json!({"message": message}).to_string());
        group.throughput(Throughput::Bytes(document.len().try_into().expect("a length")));
        group.bench_function(size.to_string(), |bencher| bencher.iter(|| bench.document(&document)));
    }
    group.finish();
}

criterion_group!(benches, documents);
criterion_main!(benches);
