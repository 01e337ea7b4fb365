//! Where the values of a JSON text stand, so that one can be put in without touching the others.
//!
//! Comments and commas before a closing bracket are let pass: people's settings have them. The
//! first of each is told, since not every host reads them. Only brackets, strings and commas are
//! looked at; a number that is none is somebody else's to refuse.

use std::ops::Range;

/// What a text holds.
#[derive(Debug)]
pub(super) struct Scanned {
    /// Its one value.
    pub(super) root: Value,
    /// Where the first comment begins.
    pub(super) comment: Option<usize>,
    /// Where the first comma stands that has a closing bracket behind it.
    pub(super) trailing_comma: Option<usize>,
}

/// A value, and where it stands.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// The entries of an object: the key of each, and where the entry stands with it.
    Object(Vec<Entry>),
    Array(Vec<Value>),
    Text(String),
    /// A number, a truth value or null.
    Other,
}

/// A key of an object with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) start: usize,
    pub(super) value: Value,
}

/// Where a text stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) at: usize,
}

/// Deeper nesting is refused: nobody's settings have it.
const DEPTH_MAX: usize = 64;

/// Returns what a text holds, which is one value.
pub(super) fn scan(text: &str) -> Result<Scanned, Broken> {
    let mut scanner = Scanner { text, at: 0, depth: 0, comment: None, trailing_comma: None };
    scanner.skip()?;
    let root = scanner.value()?;
    scanner.skip()?;
    let Scanner { at, comment, trailing_comma, .. } = scanner;
    if at == text.len() {
        Ok(Scanned { root, comment, trailing_comma })
    } else {
        Err(Broken { at })
    }
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    comment: Option<usize>,
    trailing_comma: Option<usize>,
}

impl Scanner<'_> {
    fn value(&mut self) -> Result<Value, Broken> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.broken()),
        };
        Ok(Value { span: start..self.at, kind })
    }

    fn nested(&mut self, inside: fn(&mut Self) -> Result<Kind, Broken>) -> Result<Kind, Broken> {
        if self.depth == DEPTH_MAX {
            return Err(self.broken());
        }
        self.depth += 1;
        self.at += 1;
        let kind = inside(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn object(&mut self) -> Result<Kind, Broken> {
        let mut entries = Vec::new();
        while !self.closes(b'}', !entries.is_empty())? {
            let start = self.at;
            let key = self.string()?;
            self.skip()?;
            self.expect(b':')?;
            self.skip()?;
            entries.push(Entry { key, start, value: self.value()? });
        }
        Ok(Kind::Object(entries))
    }

    fn array(&mut self) -> Result<Kind, Broken> {
        let mut items = Vec::new();
        while !self.closes(b']', !items.is_empty())? {
            items.push(self.value()?);
        }
        Ok(Kind::Array(items))
    }

    /// Passes the bracket if it stands here; else, behind an item, the comma before the next one.
    fn closes(&mut self, bracket: u8, behind_item: bool) -> Result<bool, Broken> {
        self.skip()?;
        let mut comma = None;
        if behind_item && self.peek() != Some(bracket) {
            comma = Some(self.at);
            self.expect(b',')?;
            self.skip()?;
        }
        let closes = self.peek() == Some(bracket);
        if closes {
            self.trailing_comma = self.trailing_comma.or(comma);
        }
        self.at += usize::from(closes);
        Ok(closes)
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(Broken { at: start }),
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at).ok_or(Broken { at: start })?;
        serde_json::from_str(text).map_err(|_| Broken { at: start })
    }

    fn word(&mut self) -> Result<Kind, Broken> {
        let rest = self.rest();
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let word = rest.find(|c| !plain(c)).map_or(rest, |end| rest.split_at(end).0);
        let numeric = word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if !numeric && !["true", "false", "null"].contains(&word) {
            return Err(self.broken());
        }
        self.at += word.len();
        Ok(Kind::Other)
    }

    /// Passes white space and comments.
    fn skip(&mut self) -> Result<(), Broken> {
        let passed = trivia(self.rest()).ok_or(self.broken())?;
        // Nothing but a comment has a slash between two things.
        let slash = self.rest().get(..passed).and_then(|trivia| trivia.find('/'));
        self.comment = self.comment.or(slash.map(|slash| self.at + slash));
        self.at += passed;
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Result<(), Broken> {
        if self.peek() != Some(byte) {
            return Err(self.broken());
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    const fn broken(&self) -> Broken {
        Broken { at: self.at }
    }
}

/// Returns how much white space and how many comments `text` begins with, in bytes; `None` where a
/// comment has no end.
pub(super) fn trivia(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{FEFF}']);
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or_default();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1;
        } else {
            return Some(text.len() - rest.len());
        }
    }
}
