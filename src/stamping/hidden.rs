//! Managed keys at any depth of a value that is the agent's own.

use std::ops::Range;

use super::names::ManagedNames;
use crate::json::{JsonKind, JsonScan, ScanError};

/// More are not looked at one by one.
const MAX_ENTRIES: usize = 64;

/// The values under the keys of `names` in a value that was read before, also those within each
/// other. `None` where there are too many.
pub(super) fn hidden_values(json: &[u8], names: &ManagedNames) -> Option<Vec<(usize, Range<usize>)>> {
    let mut values = Vec::new();
    read(&mut JsonScan::new(json), names, &mut values).ok()?;
    let mut next = 0;
    while let Some((_, outer)) = values.get(next).cloned() {
        let mut inner = Vec::new();
        read(&mut JsonScan::new(json.get(outer.clone())?), names, &mut inner).ok()?;
        let moved = |(name, place): (usize, Range<usize>)| (name, place.start + outer.start..place.end + outer.start);
        values.extend(inner.into_iter().map(moved));
        next += 1;
        if values.len() > MAX_ENTRIES {
            return None;
        }
    }
    Some(values)
}

fn read(
    scan: &mut JsonScan<'_>,
    names: &ManagedNames,
    values: &mut Vec<(usize, Range<usize>)>,
) -> Result<(), ScanError> {
    // Whether each open container is an object; the innermost is the last.
    let mut open: Vec<bool> = Vec::new();
    loop {
        match scan.kind()? {
            JsonKind::Object | JsonKind::Array => {
                open.push(scan.kind()? == JsonKind::Object);
                scan.enter()?;
            }
            _ => {
                scan.skip()?;
            }
        }
        // On to the next value that is not under a managed key.
        loop {
            let Some(is_object) = open.last() else { return Ok(()) };
            if !is_object {
                if scan.next_element()? {
                    break;
                }
            } else if let Some(key) = scan.next_key()? {
                match names.key(&key) {
                    Some(name) if values.len() <= MAX_ENTRIES => values.push((name, scan.skip()?)),
                    Some(_) => {
                        scan.skip()?;
                    }
                    None => break,
                }
                continue;
            }
            open.pop();
        }
    }
}
