//! Whether a body has to be read, by its first bytes.

use bytes::Bytes;

const UTF_8_BOM: &[u8] = b"\xef\xbb\xbf";

/// What the first bytes of a body say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PeekedBody {
    /// Nothing is decided: only white space so far, or the start of a BOM. A body that ends so is
    /// like no body at all.
    Blank,
    /// It must be read whole: `{`, `[`, a BOM, NUL, FE or FF.
    MustBeRead,
    /// It is no JSON and streams on unread.
    Other,
}

/// Judges the bytes that have arrived so far.
pub(crate) fn peek(prefix: &[u8]) -> PeekedBody {
    let rest = prefix.iter().position(|byte| !is_blank(*byte)).and_then(|first| prefix.get(first..));
    match rest {
        None => PeekedBody::Blank,
        Some([b'{' | b'[' | 0 | 0xFE | 0xFF, ..]) => PeekedBody::MustBeRead,
        Some(rest) if rest.starts_with(UTF_8_BOM) => PeekedBody::MustBeRead,
        Some(rest) if UTF_8_BOM.starts_with(rest) => PeekedBody::Blank,
        Some(_) => PeekedBody::Other,
    }
}

/// JSON's white space, and what servers trim that clean a body up before they parse it.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1C..=0x1F | b' ')
}

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
        let must_be_read: [&[u8]; 11] = [
            b"{",
            b"[",
            b" \r\n\t{",
            b"\x0c\x0b{",
            b"\xef\xbb\xbf",
            b"\xef\xbb\xbfname;price",
            b"\0{",
            b"\xfe\xff\0{",
            b"\xff\xfe{\0",
            b"\0\0\0{",
            b" \0{\0",
        ];
        for prefix in must_be_read {
            assert_eq!(peek(prefix), PeekedBody::MustBeRead, "{prefix:?}");
        }
        for prefix in [b"".as_slice(), b" ", b"\r\n", b"\xef", b"\xef\xbb", b" \xef"] {
            assert_eq!(peek(prefix), PeekedBody::Blank, "{prefix:?}");
        }
        for prefix in
            [b"a".as_slice(), b"--boundary", b"\x1f\x8b", b"\"x\"", b"1", b"\xef\xbc", b"\x89PNG", b"message="]
        {
            assert_eq!(peek(prefix), PeekedBody::Other, "{prefix:?}");
        }
    }

    #[test]
    fn c5_one_bom_is_read_over() {
        assert_eq!(without_bom(&Bytes::from_static(b"\xef\xbb\xbf{}")), "{}");
        assert_eq!(without_bom(&Bytes::from_static(b"{}")), "{}");
        assert_eq!(without_bom(&Bytes::from_static(b"\xef\xbb\xbf")), "");
    }
}
