//! Text for a terminal, and text for one cell of a table.

use std::{borrow::Cow, fmt::Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands at the end of a text of which something is left out.
pub(crate) const CUT: char = '…';

/// The shortest fence of a block of code.
const FENCE_MIN: usize = 3;

/// Returns `text` with every character that could steer a terminal, turn the direction of writing
/// or stand there unseen shown as its escape; line breaks and tabs stay.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, |before, c| !matches!(c, '\n' | '\t') && deceives(before, c))
}

/// Returns `text` on one line, with every character that could steer a terminal or stand there
/// unseen shown as its escape: for a cell on a terminal, and for a message.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, deceives)
}

/// Returns JSON for a terminal: the same value, with every character in it that could steer the
/// terminal or stand there unseen written as JSON's own escape.
pub(crate) fn shown_json(json: &str) -> Cow<'_, str> {
    let wanted = |before, c| !matches!(c, '\n' | '\t') && deceives(before, c);
    escaped_as(json, wanted, |whole, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(whole, "\\u{unit:04x}"); // a string takes everything
        }
    })
}

/// Returns how many columns of a terminal `text` takes, which has no control characters.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// Returns `text` for one cell in a pipe: whole, on one line, and with every control character as
/// its escape, since what reads a pipe may be a terminal in the end. A backslash is doubled, so
/// that the text can be had back.
pub(super) fn plain_cell(text: &str) -> Cow<'_, str> {
    escaped(text, |_, c| c == '\\' || c.is_control())
}

/// Returns the text of a note for one cell in a pipe: the same, but of the control characters only
/// those as escapes that would end the cell or the row.
pub(super) fn plain_cell_of_a_note(text: &str) -> Cow<'_, str> {
    escaped(text, |_, c| matches!(c, '\n' | '\r' | '\t' | '\\'))
}

/// Returns the first line of `text` that is not blank, cut to so many columns of a terminal with a
/// mark where anything is left out.
pub(crate) fn first_line(text: &str, columns: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let whole = line.len() == text.trim().len();
    if whole && width(line) <= columns {
        return line.to_owned();
    }
    let kept = beginning(line, columns.saturating_sub(1));
    format!("{}{CUT}", kept.trim_end())
}

/// Returns a name cut to so many columns of a terminal, with a mark where anything is left out:
/// what is left is its beginning.
pub(super) fn cut_name(name: &str, columns: usize) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    format!("{}{CUT}", beginning(name, columns.saturating_sub(1)))
}

/// Returns as much of a line as has room in so many columns.
fn beginning(line: &str, columns: usize) -> &str {
    let mut taken = 0;
    let end = line.char_indices().find_map(|(at, c)| {
        taken += c.width().unwrap_or(0);
        (taken > columns).then_some(at)
    });
    let mut kept = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
    // Together some characters take more than each by itself, such as a sign shown as a picture.
    while width(kept) > columns {
        kept = kept.char_indices().next_back().and_then(|(at, _)| kept.get(..at)).unwrap_or("");
    }
    kept
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

/// Returns `text` with the characters escaped that are `wanted`, each judged by the one before it.
///
/// Nothing of ASCII is wanted but controls and the backslash.
fn escaped(text: &str, wanted: impl Fn(Option<char>, char) -> bool) -> Cow<'_, str> {
    escaped_as(text, wanted, |whole, c| whole.extend(c.escape_default()))
}

fn escaped_as(
    text: &str,
    wanted: impl Fn(Option<char>, char) -> bool,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut before = None;
    let mut is_wanted = |c| wanted(before.replace(c), c);
    let Some(first) = text.find(&mut is_wanted) else { return Cow::Borrowed(text) };
    let (kept, rest) = text.split_at(first);
    let mut whole = String::with_capacity(text.len() + 16);
    whole.push_str(kept);
    let mut before = kept.chars().next_back();
    for c in rest.chars() {
        if wanted(before.replace(c), c) {
            escape(&mut whole, c);
        } else {
            whole.push(c);
        }
    }
    Cow::Owned(whole)
}

/// Returns whether a text is printable ASCII without a backslash, as most cells are; all of it is
/// looked at, which takes less than to stop at the first that is not.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\';
    text.bytes().fold(true, |plain, byte| plain & is_plain(byte))
}

/// Returns whether a character makes a terminal show something else than the text that it is in.
fn deceives(before: Option<char>, c: char) -> bool {
    // Most text is ASCII, and of that only the controls do.
    c.is_control() || !c.is_ascii() && (turns(c) || stands_unseen(before, c))
}

/// Returns whether a character turns the direction of writing, or parts lines where nobody looks
/// for it: some terminals break at it, and others show nothing.
fn turns(c: char) -> bool {
    matches!(
        c,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    )
}

/// Returns whether nobody sees that a character is there.
///
/// One that joins or shapes others is seen by what it does to a letter or picture before it, and a
/// combining mark by standing on what is before it.
fn stands_unseen(before: Option<char>, c: char) -> bool {
    let shapes = matches!(
        c,
        '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}'
    );
    if shapes {
        return before.is_none_or(|before| before.is_ascii() || before.is_whitespace());
    }
    is_ignorable(c) || c.width() == Some(0) && before.is_none_or(char::is_whitespace)
}

/// Returns whether a character is one that programs show nothing for, and that shapes nothing.
///
/// Source: the property `Default_Ignorable_Code_Point` of Unicode 16.0, without what shapes or
/// turns.
const fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Returns a fence of a Markdown block that nothing in the text can close.
pub(crate) fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(FENCE_MIN.max(longest + 1))
}

/// Returns a path as a shell takes it.
pub(crate) fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}
