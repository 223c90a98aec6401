use tower_a2a_extensions::on_request::*;

fn twice(permit: DisclosurePermit) -> [DisclosurePermit; 2] {
    [permit.clone(), permit]
}

fn main() {}
