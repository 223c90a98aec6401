//! What must not compile.

#[test]
fn held_values_cannot_be_reached_without_a_permit() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/held_*.rs");
}
