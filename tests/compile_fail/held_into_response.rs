use tower_a2a_extensions::on_request::*;

fn responds<T: axum::response::IntoResponse>(_: T) {}

fn main() {
    responds(Held::new("pricing", "p"));
}
