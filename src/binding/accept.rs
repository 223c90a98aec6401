//! Which of the two JSON types a caller of HTTP+JSON wants to read (RFC 9110 §12.5.1).

use http::HeaderMap;
use http::header::ACCEPT;

/// A quality in thousandths.
type Quality = u16;

/// Whether the caller prefers `application/json` to `application/a2a+json`; `None` where it has no preference.
pub(super) fn prefers_plain_json(headers: &HeaderMap) -> Option<bool> {
    let (mut a2a, mut plain) = (AcceptedType::default(), AcceptedType::default());
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    for range in lines.flat_map(|line| line.split(',')) {
        let (kind, quality) = media_range(range);
        a2a.consider(&kind, "application/a2a+json", quality);
        plain.consider(&kind, "application/json", quality);
    }
    (a2a.quality != plain.quality).then_some(plain.quality > a2a.quality)
}

/// What an `Accept` header says of one media type; the most specific range counts.
#[derive(Default)]
struct AcceptedType {
    specificity: u8,
    quality: Quality,
}

impl AcceptedType {
    fn consider(&mut self, range: &str, media_type: &str, quality: Quality) {
        let specificity = match range {
            _ if range == media_type => 3,
            "application/*" => 2,
            "*/*" => 1,
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self { specificity, quality };
        }
    }
}

/// A range in lower case, and its quality. One that cannot be read counts as 1.
fn media_range(range: &str) -> (String, Quality) {
    let mut parameters = range.split(';').map(str::trim);
    let kind = parameters.next().unwrap_or_default().to_ascii_lowercase();
    let quality = parameters.find_map(|parameter| parameter.strip_prefix(['q', 'Q'])?.trim_start().strip_prefix('='));
    let quality = quality.and_then(|quality| quality.trim().parse::<f32>().ok()).filter(|quality| quality.is_finite());
    // A float becomes the nearest integer that fits.
    (kind, quality.map_or(1_000, |quality| (quality.clamp(0.0, 1.0) * 1_000.0) as Quality))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn accept_chooses_between_the_two_json_types() {
        for (lines, expected) in [
            (vec![], None),
            (vec!["*/*"], None),
            (vec!["application/*"], None),
            (vec!["text/html"], None),
            (vec!["application/json"], Some(true)),
            (vec!["Application/JSON; q=0.1"], Some(true)),
            (vec!["application/a2a+json"], Some(false)),
            (vec!["application/json, application/a2a+json"], None),
            (vec!["application/json;q=0.5", "application/a2a+json;q=0.6"], Some(false)),
            (vec!["application/json, */*;q=0.1"], Some(true)),
            (vec!["application/a2a+json;q=0, */*"], Some(true)),
            (vec!["application/json;q=nonsense"], Some(true)),
            (vec!["application/json;q=NaN, application/a2a+json;q=inf"], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in &lines {
                headers.append(ACCEPT, HeaderValue::from_static(line));
            }
            assert_eq!(prefers_plain_json(&headers), expected, "{lines:?}");
        }
        let bytes = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_bytes(b"application/json\xff").unwrap())]);
        assert_eq!(prefers_plain_json(&bytes), None);
    }
}
