use tower_a2a_extensions::on_request::*;

fn keep<'a>(disclosed: Disclosed<'a, String>) -> &'a str {
    disclosed.value()
}

fn main() {}
