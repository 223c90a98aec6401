//! Whether a body has to be read, by its first bytes.

use bytes::Bytes;

const UTF_8_BOM: &[u8] = b"\xef\xbb\xbf";

/// What the first bytes of a body say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PeekedBody {
    /// Nothing is decided: only white space so far, or the start of a BOM or of a wide space. A body
    /// that ends so is like no body at all.
    Blank,
    /// It must be read whole: it starts like a JSON object or array, in whatever encoding.
    MustBeRead,
    /// It is no JSON and streams on unread.
    Other,
}

/// Judges the bytes that have arrived so far. Under a type that says JSON, comments and commas that
/// lenient readers pass over in front of an object must be read too.
pub(crate) fn peek(prefix: &[u8], is_json: bool) -> PeekedBody {
    match prefix.get(blank_length(prefix)..).unwrap_or_default() {
        [] => PeekedBody::Blank,
        [b'{' | b'[', ..] => PeekedBody::MustBeRead,
        [b'/' | b'#' | b',', ..] if is_json => PeekedBody::MustBeRead,
        rest @ [0 | 0xFE | 0xFF, ..] => peek_wide(rest),
        rest if WIDE_SPACES.iter().any(|space| space.as_bytes().starts_with(rest)) => PeekedBody::Blank,
        _ => PeekedBody::Other,
    }
}

/// UTF-16 and UTF-32, in which JSON's first characters are ASCII ones among NULs, or follow a byte
/// order mark; and NULs in front of a bracket.
///
/// A JPEG, an MP4 and the frames of other gRPC services start with such bytes too: a frame with a
/// NUL, its length in four bytes, and the tag of a field, which is no NUL. So three NULs are those of
/// UTF-32 only where three more follow the character, and more are the head of a short frame.
fn peek_wide(rest: &[u8]) -> PeekedBody {
    let is_ascii = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' ' | b'{' | b'[');
    let nuls = rest.iter().take_while(|byte| **byte == 0).count();
    match (nuls, rest.get(nuls..).unwrap_or_default()) {
        (..=3, []) | (0, [0xFE | 0xFF]) | (2, [0xFE]) => PeekedBody::Blank,
        (0, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) | (2, [0xFE, 0xFF, ..]) => PeekedBody::MustBeRead,
        (1, [first, ..]) if is_ascii(first) => PeekedBody::MustBeRead,
        (3, [first, behind @ ..]) if is_ascii(first) => match behind {
            [0, 0, 0, ..] => PeekedBody::MustBeRead,
            [] | [0] | [0, 0] => PeekedBody::Blank,
            _ => PeekedBody::Other,
        },
        (2, [b'{' | b'[', ..]) => PeekedBody::MustBeRead,
        _ => PeekedBody::Other,
    }
}

/// How many bytes at the front are blank: JSON's white space, and what servers drop or trim that
/// clean a body up before they parse it (Java's `trim` all controls, others all of Unicode's white
/// space, Latin-1 readers its two bytes; a byte order mark). With more than the first, or one
/// mark, the body is then no JSON.
pub(crate) fn blank_length(prefix: &[u8]) -> usize {
    let mut rest = prefix;
    loop {
        rest = match rest {
            [0x01..=b' ' | 0x7F | 0x85 | 0xA0, behind @ ..] | [0xC2, 0x80..=0xA0 | 0xAD, behind @ ..] => behind,
            _ => match WIDE_SPACES.iter().find_map(|space| rest.strip_prefix(space.as_bytes())) {
                Some(behind) => behind,
                None => return prefix.len() - rest.len(),
            },
        }
    }
}

/// What Unicode calls white space beyond Latin-1, and what shows nothing and is dropped with it.
const WIDE_SPACES: [&str; 25] = [
    "\u{85}", "\u{1680}", "\u{180E}", "\u{2000}", "\u{2001}", "\u{2002}", "\u{2003}", "\u{2004}", "\u{2005}",
    "\u{2006}", "\u{2007}", "\u{2008}", "\u{2009}", "\u{200A}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2028}",
    "\u{2029}", "\u{202F}", "\u{205F}", "\u{2060}", "\u{2061}", "\u{3000}", "\u{FEFF}",
];

/// The body without a UTF-8 BOM (C5). Nothing is copied.
pub(super) fn without_bom(body: &Bytes) -> Bytes {
    let start = if body.starts_with(UTF_8_BOM) { UTF_8_BOM.len() } else { 0 };
    body.slice(start..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_blank_decides() {
        let must_be_read: [&[u8]; 14] = [
            b"\xef\xbb\xbf\xef\xbb\xbf [",
            b"\xa0\xc2\x9f{",
            b"\0\0\xfe\xff",
            b"\0\0{",
            b"{",
            b"[",
            b" \r\n\t{",
            b"\x0c\x0b{",
            b"\xef\xbb\xbf{",
            b"\0{",
            b"\xfe\xff\0{",
            b"\xff\xfe{\0",
            b"\0\0\0{\0\0\0\"",
            b" \0{\0",
        ];
        for prefix in must_be_read {
            assert_eq!(peek(prefix, false), PeekedBody::MustBeRead, "{prefix:?}");
        }
        for space in (0..=0x3000).filter_map(char::from_u32).filter(|c| c.is_whitespace()) {
            assert_eq!(peek(format!(" {space}{space}{{").as_bytes(), false), PeekedBody::MustBeRead, "{space:?}");
        }
        for prefix in [
            b"".as_slice(),
            b" ",
            b"\r\n",
            b"\xef",
            b"\xef\xbb",
            b" \xef",
            b"\xe3\x80\x80\xe3\x80",
            b"\xc2",
            b"\xef\xbb\xbf",
            b"\0\0\0",
            b"\0\0\0{",
            b"\0\0\0{\0\0",
            b"\xff",
        ] {
            assert_eq!(peek(prefix, true), PeekedBody::Blank, "{prefix:?}");
        }
        for prefix in [
            b"a".as_slice(),
            b"--boundary",
            b"\x1f\x8b",
            b"\"x\"",
            b"1",
            b"\xef\xbc",
            b"\x89PNG",
            b"message=",
            b"\xff\xd8\xff",
            b"\0\0\0\x18ftyp",
            b"\0\0\0\x20ftypisom",
            b"\0\0\0\0\0",
            b"\0\0\0\0\x7b\x0a",
            b"\0\0\0\x09\x0a\x0a\x03abc",
            b"\0\0\0{\x08\x0a\x03abc",
            b"\0asm",
            b"\xef\xbb\xbfname;price",
        ] {
            assert_eq!(peek(prefix, true), PeekedBody::Other, "{prefix:?}");
        }
    }

    #[test]
    fn comments_and_commas_in_front_of_an_object_are_read_under_a_json_type() {
        for prefix in [b"// x\n{".as_slice(), b"/* x */ [", b"# x\n{", b" ,{", b"/"] {
            assert_eq!(peek(prefix, true), PeekedBody::MustBeRead, "{prefix:?}");
            assert_eq!(peek(prefix, false), PeekedBody::Other, "{prefix:?}");
        }
    }

    #[test]
    fn c5_one_bom_is_read_over() {
        assert_eq!(without_bom(&Bytes::from_static(b"\xef\xbb\xbf{}")), "{}");
        assert_eq!(without_bom(&Bytes::from_static(b"{}")), "{}");
        assert_eq!(without_bom(&Bytes::from_static(b"\xef\xbb\xbf")), "");
    }
}
