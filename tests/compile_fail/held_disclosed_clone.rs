use tower_a2a_extensions::on_request::*;

fn twice<'a>(disclosed: Disclosed<'a, u64>) -> [Disclosed<'a, u64>; 2] {
    [disclosed.clone(), disclosed]
}

fn main() {}
