use tower_a2a_extensions::on_request::*;

fn twice<'a>(disclosed: Disclosed<'a, String>) -> [Disclosed<'a, String>; 2] {
    [disclosed.clone(), disclosed]
}

fn main() {}
