use tower_a2a_extensions::*;

fn main() {
    let _: DisclosurePermit = Default::default();
}
