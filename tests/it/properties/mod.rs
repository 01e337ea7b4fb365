//! What holds whatever comes: properties that tests and fuzz targets share.
//!
//! Each property takes any input and panics where it is broken. [`TARGETS`] makes them properties
//! of any bytes, for a fuzzer to search and for tests to repeat what it found.

pub(crate) mod called;
pub(crate) mod compared;
mod hooks;
mod log;
pub(crate) mod names;
pub(crate) mod prompts;
pub(crate) mod reference;
mod replies;
pub(crate) mod seen;
pub(crate) mod spelt;
mod transcripts;

/// A target's name, which is also that of its folder of findings, and its property.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// Every target.
pub(crate) const TARGETS: &[Target] = &[
    ("hook_payloads", hooks::a_payload_is_a_call_or_none),
    ("hook_settings", hooks::settings_get_our_hooks_once),
    ("log_lines", log::any_bytes_are_read_one_way),
    ("log_records", log::what_is_written_comes_back),
    ("log_windows", spelt::a_long_log_is_read_one_way),
    ("names", names::two_names_never_share_a_stem),
    ("prompts", prompts::a_note_is_carried_and_no_more),
    ("replies", replies::a_reply_is_kept_word_for_word),
    ("transcripts", transcripts::pieces_make_no_difference),
];

/// Parts `input` in two; its first two bytes say where, and are in neither part.
fn halves(input: &[u8]) -> (&[u8], &[u8]) {
    let Some((at, rest)) = input.split_first_chunk() else { return (input, &[]) };
    let at = usize::from(u16::from_le_bytes(*at));
    rest.split_at_checked(at).unwrap_or((rest, &[]))
}

/// Takes as many bytes from the front of `input` as a number has, with zeros for those missing.
fn number(input: &mut &[u8]) -> u64 {
    let (number, rest) = input.split_at(input.len().min(8));
    *input = rest;
    number.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
