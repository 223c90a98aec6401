//! Reading what is to be checked.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

/// A card is a small document; what is longer is something else.
const MAX_SOURCE: u64 = 64 * 1024 * 1024;

/// The bytes of a file, or of standard input for `-`; else why they cannot be read.
pub(crate) fn read_input(file: &OsStr) -> Result<Vec<u8>, String> {
    if is_url(file) {
        let name = file.to_string_lossy();
        let quoted = name.replace('\'', "%27");
        return Err(format!(
            "{name} is an address, and this opens no connection: fetch it first, as in `curl -sf '{quoted}' | a2a-card-check -`"
        ));
    }
    let why = |error: io::Error| format!("{} cannot be read: {error}", name(file));
    let source: Box<dyn Read> =
        if file == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(file).map_err(why)?) };
    let mut bytes = Vec::new();
    source.take(MAX_SOURCE + 1).read_to_end(&mut bytes).map_err(why)?;
    if bytes.len() as u64 > MAX_SOURCE {
        return Err(format!("{} is longer than {} MiB: this is no Agent Card", name(file), MAX_SOURCE >> 20));
    }
    Ok(bytes)
}

pub(crate) fn name(file: &OsStr) -> String {
    if file == "-" { "<stdin>".to_owned() } else { file.to_string_lossy().into_owned() }
}

/// `https://…`, or any other scheme with `//`.
fn is_url(file: &OsStr) -> bool {
    let name = file.to_string_lossy();
    let scheme = name.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}
