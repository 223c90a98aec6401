use tower_a2a_extensions::on_request::*;

fn main() {
    let _: DisclosurePermit = Default::default();
}
