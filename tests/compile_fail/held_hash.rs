use tower_a2a_extensions::on_request::*;

fn hashes<T: std::hash::Hash>(_: &T) {}
static PRICE: Held<&str> = Held::new("pricing", "p");

fn main() {
    hashes(&PRICE);
}
