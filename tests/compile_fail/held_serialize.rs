use tower_a2a_extensions::*;

fn serialises<T: serde::Serialize>(_: &T) {}
static PRICE: Held<&str> = Held::new("pricing", "p");

fn main() {
    serialises(&PRICE);
}
