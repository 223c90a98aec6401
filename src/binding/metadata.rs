//! Reading `metadata`: the keys of the installed extensions occur once, and so do the members of
//! the values under them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::json::{JsonKind, JsonScan, ScanError};

/// Deeper values cannot be read as a `serde_json::Value`, so nobody acts on what they hold.
const READABLE_DEPTH: usize = 128;

/// What was found out about one `metadata` object.
#[derive(Debug)]
pub(super) struct MetadataPlace {
    pub(super) place: Range<usize>,
    /// A managed key, or a member under one, stands there twice.
    pub(super) duplicate: bool,
}

/// Reads the object that comes next.
pub(super) fn read_metadata(scan: &mut JsonScan<'_>, managed_keys: &[String]) -> Result<MetadataPlace, ScanError> {
    let start = scan.enter()?;
    let mut seen = vec![false; managed_keys.len()];
    let mut duplicate = false;
    while let Some(key) = scan.next_key()? {
        let key = key.decode().ok();
        let managed = key.and_then(|key| managed_keys.iter().position(|managed| *managed == key));
        match managed.and_then(|index| seen.get_mut(index)) {
            None => drop(scan.skip()?),
            Some(seen) => {
                duplicate |= *seen;
                *seen = true;
                duplicate |= has_duplicate_member(scan)?;
            }
        }
    }
    Ok(MetadataPlace { place: start..scan.offset(), duplicate })
}

/// A container that is being read: the keys it has had, or `None` for an array.
type OpenContainer<'a> = Option<HashSet<Cow<'a, str>>>;

/// Reads the value that comes next, and says whether an object in it has a member twice.
fn has_duplicate_member(scan: &mut JsonScan<'_>) -> Result<bool, ScanError> {
    let mut open: Vec<OpenContainer<'_>> = Vec::new();
    let mut duplicate = false;
    loop {
        match scan.kind()? {
            JsonKind::Object if open.len() < READABLE_DEPTH => {
                scan.enter()?;
                open.push(Some(HashSet::new()));
            }
            JsonKind::Array if open.len() < READABLE_DEPTH => {
                scan.enter()?;
                open.push(None);
            }
            _ => drop(scan.skip()?),
        }
        if !advance(scan, &mut open, &mut duplicate)? {
            return Ok(duplicate);
        }
    }
}

/// Goes on to the next value, closing what ends; `false` where nothing is open any more.
fn advance<'a>(
    scan: &mut JsonScan<'a>,
    open: &mut Vec<OpenContainer<'a>>,
    duplicate: &mut bool,
) -> Result<bool, ScanError> {
    while let Some(container) = open.last_mut() {
        let more = match container {
            None => scan.next_element()?,
            Some(keys) => match scan.next_key()? {
                None => false,
                Some(key) => {
                    *duplicate |= key.decode().is_ok_and(|key| !keys.insert(key));
                    true
                }
            },
        };
        if more {
            return Ok(true);
        }
        open.pop();
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duplicate(json: &str) -> bool {
        let managed = ["https://u.example/v1".to_owned(), "k".to_owned()];
        let mut scan = JsonScan::new(json.as_bytes());
        let metadata = read_metadata(&mut scan, &managed).unwrap();
        assert_eq!(metadata.place, 0..json.len());
        scan.end().unwrap();
        metadata.duplicate
    }

    #[test]
    fn c4_managed_keys_and_the_members_under_them_occur_once() {
        for json in [
            r#"{"k":1,"k":1}"#,
            r#"{"k":1,"\u006b":1}"#,
            r#"{"https://u.example/v1":{},"x":1,"https:\/\/u.example/v1":{}}"#,
            r#"{"k":{"skillId":"a","skillId":"b"}}"#,
            r#"{"k":{"skillId":"a","skill\u0049d":"a"}}"#,
            r#"{"k":[1,{"a":{"b":[],"b":1}}]}"#,
        ] {
            assert!(duplicate(json), "{json}");
        }
        for json in [
            "{}",
            r#"{"x":1,"x":2}"#,
            r#"{"k":1,"K":1}"#,
            r#"{"k":{"a":{"b":1},"c":{"b":1}},"https://u.example/v1":{"a":1}}"#,
            r#"{"x":{"a":1,"a":2},"k":[{"a":1},{"a":2}]}"#,
        ] {
            assert!(!duplicate(json), "{json}");
        }
    }

    #[test]
    fn depth_under_a_managed_key_costs_no_stack() {
        let json = format!(r#"{{"k":{}{}}}"#, r#"[{"a":"#.repeat(200_000) + "1", "}]".repeat(200_000));
        assert!(!duplicate(&json));
    }
}
