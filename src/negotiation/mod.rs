//! Which extensions are active on a call: requested ∩ declared ∩ allowed (A2A §3.2.6, §4.6,
//! and its extensions topic, "Extension Activation").

mod activation;
mod header;

pub use activation::DeclineError;
pub(crate) use activation::{Activation, DeclaredUri, DeclaredUris, MAX_ALIASES, MAX_DECLARED};
pub use header::{A2A_EXTENSIONS, A2A_VERSION, X_A2A_EXTENSIONS};
pub(crate) use header::{
    HeaderSpelling, request_header_names, requested_lines, requested_members, rewrite_request_headers,
    unchecked_members, write_echo,
};
