use tower_a2a_extensions::on_request::*;

fn serialises<T: serde::Serialize>(_: &T) {}
static PRICE: Held<&str> = Held::new("pricing", "p");

fn main() {
    serialises(&PRICE);
}
