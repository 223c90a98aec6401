use tower_a2a_extensions::*;

fn twice(permit: DisclosurePermit) -> [DisclosurePermit; 2] {
    [permit.clone(), permit]
}

fn main() {}
