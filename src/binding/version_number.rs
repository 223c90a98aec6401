//! Versions as headers and cards write them, compared as `Major.Minor` (A2A §3.6).

use super::ProtocolVersion;

/// A version, read leniently: `v1.0`, `1` and `1.0.3` all mean 1.0.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct VersionNumber {
    major: u32,
    minor: u32,
}

impl VersionNumber {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let mut numbers = text.strip_prefix(['v', 'V']).unwrap_or(text).splitn(3, '.');
        let major = number(numbers.next()?)?;
        let minor = numbers.next().map_or(Some(0), number)?;
        // A patch number does not count, but it has to be one.
        let patch = numbers.next().unwrap_or("0");
        patch.bytes().next().is_some_and(|first| first.is_ascii_digit()).then_some(Self { major, minor })
    }

    /// The family, which decides the shape.
    pub(crate) fn family(self) -> ProtocolVersion {
        if self.major == 0 { ProtocolVersion::V0_3 } else { ProtocolVersion::V1_0 }
    }
}

fn number(text: &str) -> Option<u32> {
    // `parse` would take a sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(u32, u32)> {
        VersionNumber::parse(text).map(|version| (version.major, version.minor))
    }

    #[test]
    fn versions_are_read_leniently_as_major_and_minor() {
        for (text, expected) in [
            ("0.3", (0, 3)),
            ("0.2.5", (0, 2)),
            ("1.0", (1, 0)),
            ("1", (1, 0)),
            (" v1.0 ", (1, 0)),
            ("V1.1.2", (1, 1)),
            ("1.0.0-rc.1", (1, 0)),
            ("10.20", (10, 20)),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in ["", " ", "v", "one", "1.", ".3", "1.x", "+1.0", "1.-1", "1.0.", "1.0.x", "1.0, 0.3", "99999999999"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn families_are_0_and_all_else() {
        for (text, family) in
            [("0.1", ProtocolVersion::V0_3), ("1.1", ProtocolVersion::V1_0), ("2.0", ProtocolVersion::V1_0)]
        {
            assert_eq!(VersionNumber::parse(text).unwrap().family(), family, "{text}");
        }
    }
}
