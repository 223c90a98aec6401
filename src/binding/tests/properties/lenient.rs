//! A reader that forgives nearly everything, written without the crate's own: what the sloppiest
//! server could find in a body.

/// A value as far as a message is concerned.
enum Loose {
    Object(Vec<(String, Self)>),
    Array(Vec<Self>),
    Text(String),
    Other,
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The texts of every message that can be found, or `None` where there is no message.
pub(super) fn texts(bytes: &[u8]) -> Option<Vec<String>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value = Cursor { bytes, at: 0 }.value(0);
    let mut found = None;
    look_for_message(&value, 0, &mut found);
    found
}

fn look_for_message(value: &Loose, depth: usize, found: &mut Option<Vec<String>>) {
    match value {
        Loose::Object(members) => {
            for (name, value) in members {
                let is_container = matches!(value, Loose::Object(_) | Loose::Array(_));
                match fold(name).as_str() {
                    "message" | "request" if is_container => collect_texts(value, found.get_or_insert_default()),
                    "params" if depth == 0 => look_for_message(value, 1, found),
                    _ => {}
                }
            }
        }
        // A struct written as an array.
        Loose::Array(elements) => {
            for element in elements.iter().filter(|element| matches!(element, Loose::Object(_) | Loose::Array(_))) {
                collect_texts(element, found.get_or_insert_default());
            }
        }
        Loose::Text(_) | Loose::Other => {}
    }
}

fn collect_texts(message: &Loose, texts: &mut Vec<String>) {
    let Loose::Object(members) = message else { return };
    for (name, value) in members {
        let Loose::Array(parts) = value else { continue };
        if !matches!(fold(name).as_str(), "parts" | "content") {
            continue;
        }
        for part in parts {
            let Loose::Object(members) = part else { continue };
            let found = members.iter().filter(|(name, _)| fold(name) == "text");
            texts.extend(
                found.filter_map(|(_, value)| if let Loose::Text(text) = value { Some(text.clone()) } else { None }),
            );
        }
    }
}

fn fold(name: &str) -> String {
    let kept = name.chars().filter(|character| !matches!(character, '_' | '-' | '\u{feff}' | '\u{fffd}'));
    let folded = kept.map(|character| match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    });
    folded.collect()
}

impl Cursor<'_> {
    fn space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| *byte <= b' ') {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.bytes.get(self.at).copied()
    }

    /// Whatever comes next; what is missing is taken as there.
    fn value(&mut self, depth: usize) -> Loose {
        match self.peek() {
            Some(b'{') if depth < 60 => self.object(depth),
            Some(b'[') if depth < 60 => self.array(depth),
            Some(b'"') => Loose::Text(self.text()),
            _ => {
                while self.bytes.get(self.at).is_some_and(|byte| !b",]}:".contains(byte)) {
                    self.at += 1;
                }
                Loose::Other
            }
        }
    }

    fn object(&mut self, depth: usize) -> Loose {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            match self.peek() {
                None => return Loose::Object(members),
                Some(b'}') => {
                    self.at += 1;
                    return Loose::Object(members);
                }
                Some(b'"') => {
                    let name = self.text();
                    if self.peek() == Some(b':') {
                        self.at += 1;
                        members.push((name, self.value(depth + 1)));
                    }
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn array(&mut self, depth: usize) -> Loose {
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            match self.peek() {
                None => return Loose::Array(elements),
                Some(b']') => {
                    self.at += 1;
                    return Loose::Array(elements);
                }
                Some(b',' | b'}' | b':') => self.at += 1,
                Some(_) => elements.push(self.value(depth + 1)),
            }
        }
    }

    /// A string; a wrong escape is its character, what is no text is U+FFFD.
    fn text(&mut self) -> String {
        self.at += 1;
        let mut units = Vec::new();
        let mut plain = Vec::new();
        let flush = |plain: &mut Vec<u8>, units: &mut Vec<u16>| {
            units.extend(String::from_utf8_lossy(plain).encode_utf16());
            plain.clear();
        };
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    flush(&mut plain, &mut units);
                    let escaped = self.bytes.get(self.at).copied().unwrap_or(b'"');
                    self.at += 1;
                    units.push(match escaped {
                        b'b' => 8,
                        b'f' => 12,
                        b'n' => 10,
                        b'r' => 13,
                        b't' => 9,
                        b'u' => self.unit().unwrap_or(u16::from(b'u')),
                        other => u16::from(other),
                    });
                }
                other => plain.push(*other),
            }
        }
        flush(&mut plain, &mut units);
        String::from_utf16_lossy(&units)
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = std::str::from_utf8(self.bytes.get(self.at..self.at + 4)?).ok()?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }
}
