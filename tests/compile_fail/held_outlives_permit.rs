use tower_a2a_extensions::on_request::*;

fn keep<'a>(held: &'a Held<String>, permit: DisclosurePermit) -> &'a str {
    held.open(&permit).unwrap()
}

fn main() {}
