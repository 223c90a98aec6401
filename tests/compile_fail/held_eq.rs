use tower_a2a_extensions::on_request::*;

static PRICE: Held<&str> = Held::new("pricing", "p");

fn main() {
    let _ = PRICE == PRICE;
}
