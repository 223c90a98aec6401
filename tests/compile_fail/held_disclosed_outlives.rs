use tower_a2a_extensions::*;

fn keep<'a>(disclosed: Disclosed<'a, String>) -> &'a str {
    disclosed.value()
}

fn main() {}
