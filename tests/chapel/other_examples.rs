//! The examples that check themselves while they run.

use std::process::Command;

use crate::driver::example;

#[test]
fn auth_and_timestamp_run_to_their_end() {
    for name in ["auth", "timestamp"] {
        let output = Command::new(example(name)).output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
    }
}
