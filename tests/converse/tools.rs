//! What an input of a stranger costs an agent whose schemas branch.
#![cfg(feature = "json-schema")]

use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use tower_a2a_extensions::converse::ConverseTool;

/// Counts every byte of this process, those of the other tests as well.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const MAX_MEGABYTES: f32 = 64.0;

fn tool(branches: usize, branch: impl Fn(usize) -> Value) -> ConverseTool {
    let branches = (0..branches).map(branch).collect::<Vec<_>>();
    ConverseTool::new("search", "").with_input_schema(json!({"type": "object", "anyOf": branches}))
}

#[test]
fn an_input_of_some_hundred_bytes_takes_no_memory_by_branches_that_refer_back() {
    for branches in [3, 5, 8, 12] {
        let branch = |n: usize| json!({"properties": {"a": {"$ref": "#"}}, "required": [format!("b{n}")]});
        let tool = tool(branches, branch);
        for depth in 1..=8 {
            let input = (1..depth).fold(json!({}), |inner, _| json!({"a": inner}));
            HEAP.reset_peak_usage();
            let before = HEAP.current_usage_as_mb();
            let error = tool.read_value(&input).unwrap_err();
            let used = HEAP.peak_usage_as_mb() - before;
            assert!(used < MAX_MEGABYTES, "{branches} branches, depth {depth}: {used} MB");
            assert!(error.to_string().len() < 4_000);
        }
    }
}

#[test]
fn an_input_as_long_as_it_may_be_takes_no_memory_by_ten_kinds_of_nodes() {
    let kind = |n: usize| {
        let args = json!({"type": "array", "items": {"$ref": "#"}});
        json!({"properties": {"kind": {"const": format!("k{n}")}, "args": args}, "required": ["kind"]})
    };
    let tool = tool(10, kind);
    let leaves = json!({"kind": "k1", "args": vec![json!({"kind": "x", "args": [{"args": [{}]}]}); 1_500]});
    for input in [leaves.clone(), json!({"kind": "k1", "args": [leaves]})] {
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage_as_mb();
        assert!(input.to_string().len() < 64 << 10);
        tool.read_value(&input).unwrap_err();
        let used = HEAP.peak_usage_as_mb() - before;
        assert!(used < MAX_MEGABYTES, "{used} MB");
    }
}
