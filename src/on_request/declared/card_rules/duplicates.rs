//! Keys that stand twice in one object: one reader takes the first, another the last.

use std::borrow::Cow;
use std::collections::HashSet;

use super::place::token;
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::json::{JsonKind, JsonScan, ScanError};

/// So many are told apart; a card with more has other problems.
const MAX_TOLD: usize = 100;
/// A longer pointer is not written out.
const MAX_POINTER: usize = 4096;

/// One open container on the way to where the reader stands.
enum Level<'a> {
    Object { keys: Keys<'a>, key: Cow<'a, str> },
    Array { index: usize },
}

/// The keys of one object. Most have a few, for which a table costs more than comparing them.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    /// Adds a key; `false` where it is there already.
    fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(key);
        }
        let is_new = !self.few.contains(&key);
        if is_new {
            self.few.push(key);
        }
        if self.few.len() > 12 {
            self.many.extend(self.few.drain(..));
        }
        is_new
    }
}

/// Finds every key that an object of the source has twice. `source` was read by serde, so it is
/// not nested deeply.
pub(super) fn find_duplicates(source: &[u8], offset: usize, findings: &mut Findings) {
    let mut reader = Duplicates { levels: Vec::new(), told: 0, offset, findings };
    let _ = reader.read(&mut JsonScan::new(source));
}

struct Duplicates<'a, 'f> {
    levels: Vec<Level<'a>>,
    told: usize,
    offset: usize,
    findings: &'f mut Findings,
}

impl<'a> Duplicates<'a, '_> {
    fn read(&mut self, scan: &mut JsonScan<'a>) -> Result<(), ScanError> {
        loop {
            match scan.kind()? {
                JsonKind::Object => {
                    scan.enter()?;
                    self.levels.push(Level::Object { keys: Keys::default(), key: Cow::Borrowed("") });
                }
                JsonKind::Array => {
                    scan.enter()?;
                    self.levels.push(Level::Array { index: 0 });
                }
                _ => {
                    scan.skip()?;
                }
            }
            if !self.advance(scan)? {
                return Ok(());
            }
        }
    }

    /// Goes on to the next value, over the ends of what closes; `false` behind the last.
    fn advance(&mut self, scan: &mut JsonScan<'a>) -> Result<bool, ScanError> {
        loop {
            match self.levels.last_mut() {
                None => return Ok(false),
                Some(Level::Array { index }) => {
                    if scan.next_element()? {
                        *index += 1;
                        return Ok(true);
                    }
                }
                Some(Level::Object { keys, key }) => {
                    if let Some(text) = scan.next_key()? {
                        let name = text.decode().unwrap_or_default();
                        let is_new = keys.insert(name.clone());
                        *key = name;
                        if !is_new {
                            self.tell(text.outer());
                        }
                        return Ok(true);
                    }
                }
            }
            self.levels.pop();
        }
    }

    fn tell(&mut self, span: std::ops::Range<usize>) {
        self.told += 1;
        if self.told > MAX_TOLD {
            return;
        }
        let mut pointer = String::new();
        let mut name = "";
        for level in &self.levels {
            pointer.push('/');
            match level {
                Level::Array { index } => pointer.push_str(&index.saturating_sub(1).to_string()),
                Level::Object { key, .. } if key.len() + pointer.len() > MAX_POINTER => {
                    pointer.clear();
                    break;
                }
                Level::Object { key, .. } => {
                    pointer.push_str(&token(key));
                    name = key;
                }
            }
        }
        let what = format!("the key {} stands twice in this object", quoted(name));
        let finding = Finding::new(Severity::Error, "json", pointer, what)
            .with_help("keep one of them: one reader takes the first, another the last")
            .with_span(span.start + self.offset..span.end + self.offset);
        self.findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_keys_each_second_is_told_too() {
        let keys = (0..40).chain([3, 39]).map(|n| format!("\"k{n}\": {n}")).collect::<Vec<_>>();
        let source = format!("{{{}}}", keys.join(","));
        let mut findings = Findings::default();
        find_duplicates(source.as_bytes(), 0, &mut findings);
        assert_eq!(findings.iter().map(|one| one.pointer.as_str()).collect::<Vec<_>>(), ["/k3", "/k39"]);
    }

    #[test]
    fn every_second_key_is_told_with_its_place_however_it_is_escaped() {
        let source = r#"{"a": 1, "b": [{}, {"x/y": 1, "x\/y": 2}], "\u0061": {"a": 1}, "a": 3}"#;
        let mut findings = Findings::default();
        find_duplicates(source.as_bytes(), 0, &mut findings);
        let told = findings.iter().map(|one| (one.pointer.as_str(), &source[one.span.clone().unwrap()]));
        assert_eq!(told.collect::<Vec<_>>(), [("/b/1/x~1y", r#""x\/y""#), ("/a", r#""\u0061""#), ("/a", r#""a""#)]);
    }
}
