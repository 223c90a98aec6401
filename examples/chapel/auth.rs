//! Who calls. In a real service this layer verifies a signed token; here `demo-NAME` is assistant
//! NAME, and everybody knows it. It stands outside the extensions layer, which only reads [`Claims`].

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// What the auth layer found out.
#[derive(Clone)]
pub(crate) struct Claims {
    pub(crate) assistant: String,
}

/// The auth layer: no token is an anonymous caller, a token it does not know is refused.
pub(crate) async fn authenticate(mut request: Request, next: Next) -> Response {
    match claims(request.headers()) {
        Ok(Some(claims)) => drop(request.extensions_mut().insert(claims)),
        Ok(None) => {}
        // Without a body, so that clients of every binding understand it.
        Err(UnknownToken) => {
            let challenge = r#"Bearer error="invalid_token", error_description="use Bearer demo-NAME, or none""#;
            return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response();
        }
    }
    next.run(request).await
}

struct UnknownToken;

fn claims(headers: &HeaderMap) -> Result<Option<Claims>, UnknownToken> {
    let mut lines = headers.get_all(header::AUTHORIZATION).into_iter();
    let (line, None) = (lines.next(), lines.next()) else { return Err(UnknownToken) };
    let Some(line) = line else { return Ok(None) };
    let line = line.to_str().map_err(|_| UnknownToken)?;
    let (scheme, token) = line.split_once(' ').ok_or(UnknownToken)?;
    let name = token.trim().strip_prefix("demo-").ok_or(UnknownToken)?;
    let sound = !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let bearer = scheme.eq_ignore_ascii_case("bearer");
    if bearer && sound { Ok(Some(Claims { assistant: name.to_owned() })) } else { Err(UnknownToken) }
}
