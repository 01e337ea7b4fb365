//! Text for a terminal, and text for one cell of a table.

use std::borrow::Cow;

/// Returns `text` with every character that could steer a terminal or turn the direction of
/// writing shown as its escape; line breaks and tabs stay.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, |c| steers(c) && c != '\n' && c != '\t')
}

/// Returns `text` on one line, with every character that could steer a terminal shown as its escape:
/// for a cell on a terminal, and for a message.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, steers)
}

/// Returns `text` for one cell in a pipe: whole, on one line, and without a tab. A backslash is
/// doubled, so that the text can be had back.
pub(super) fn plain_cell(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\r' | '\t' | '\\'))
}

/// Returns the first line of `text` that is not blank, cut to `width` columns with a mark where
/// anything is left out.
pub(crate) fn first_line(text: &str, width: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let whole = line.len() == text.trim().len();
    if whole && line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Returns a figure with what it counts.
pub(crate) fn plural(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Returns a size in the largest unit that it fills.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| bytes >= *unit) else {
        return format!("{bytes} B");
    };
    let tenths = bytes.saturating_mul(10) / unit;
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

fn escaped(text: &str, wanted: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&wanted) {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if wanted(c) {
            whole.extend(c.escape_default());
        } else {
            whole.push(c);
        }
    }
    Cow::Owned(whole)
}

fn steers(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || turns
}
