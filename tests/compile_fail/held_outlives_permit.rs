use tower_a2a_extensions::*;

fn keep<'a>(held: &'a Held<&'a str>, permit: DisclosurePermit) -> &'a str {
    held.open(&permit).unwrap()
}

fn main() {
    
}
