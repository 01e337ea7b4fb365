//! An export to be read.

use graff_notes::{
    log::Kind,
    units::{Bytes, Timestamp},
};

use super::entry::{Entry, Unread};
use crate::{
    command::record::RecordAnswer,
    output::{Clock, fence, plural},
};

/// Returns an entry in Markdown, with a blank line behind it.
pub(super) fn entry(entry: &Entry<'_>, clock: &Clock) -> String {
    match entry {
        Entry::Record(record) => match &record.text {
            Some(text) => note(record, text, clock),
            None => format!("* {}{}\n\n", title(record, clock), left_out(record)),
        },
        Entry::Damage(damage) => unread("damage", damage),
        Entry::Newer(newer) => unread("newer version", newer),
    }
}

fn unread(what: &str, Unread { line, offset, detail, .. }: &Unread<'_>) -> String {
    format!("> **{what}** at line {line}, byte {offset}: {}\n\n", escaped(detail))
}

/// Returns a name or a text of one line, which can be anybody's words, so that Markdown makes no
/// tag, link, code or emphasis of it. Some readers still make links of bare addresses.
pub(super) fn escaped(text: &str) -> String {
    const MARKUP: &str = "\\`*_[]<>&~|#";
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if MARKUP.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn note(record: &RecordAnswer<'_>, text: &str, clock: &Clock) -> String {
    let mechanical = if record.kind == Kind::Mechanical.as_str() {
        "> **mechanical**: put together by the program, not written by the agent\n\n"
    } else {
        ""
    };
    let cut = match record.cut {
        Bytes::ZERO => String::new(),
        cut => format!("> **cut**: {cut} bytes are missing at the end\n\n"),
    };
    let (title, fence) = (title(record, clock), fence(text));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("## {title}\n\n{mechanical}{cut}{fence}text\n{text}{end}{fence}\n\n")
}

fn title(record: &RecordAnswer<'_>, clock: &Clock) -> String {
    let number = record.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    let at = match record.created_at {
        Timestamp::ZERO => String::new(),
        at => format!(" · {}", clock.show(at)),
    };
    format!("{}{number} · generation {}{at}", record.kind, record.r#gen)
}

/// Returns what stands for a text that is left out.
fn left_out(record: &RecordAnswer<'_>) -> String {
    let bytes = record.text_bytes.map(|bytes| plural(bytes.get(), "byte"));
    bytes.map(|bytes| format!(" · {bytes} of text")).unwrap_or_default()
}
