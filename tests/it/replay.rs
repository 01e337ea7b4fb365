//! Promise: what is seen of a file depends on its bytes alone, not on how they were read; whatever
//! is cut off, flipped or thrown in costs the lines that it touches, and never changes another.
//!
//! Shown by enumeration on every fixture: each size of piece, each prefix, each bit of a sealed
//! log flipped, from the front and from the end; and on random mixtures of records and junk.

use std::ops::Range;

use graff_notes::{
    log::{Fault, LINE_BYTES_MAX, Line, Record, Replay, Tail, win_back},
    units::Bytes,
};
use proptest::prelude::*;
use serde::de::IgnoredAny;

mod from_the_end;

use crate::support::{
    logs::{Seen, fixture, fixtures, lfs, records, replay, replay_in_pieces, session},
    report,
};
use from_the_end::assert_rewind_agrees;

/// From one case to the next, where all are tried; Miri, which interprets, tries a few of them.
const STEP: usize = if cfg!(miri) { 61 } else { 1 };

#[test]
fn every_piece_size_gives_the_same_entries() {
    for (name, file) in fixtures() {
        let whole = replay(&file);
        for piece in (1..=file.len()).step_by(STEP) {
            assert_eq!(replay_in_pieces(&file, piece), whole, "{name} in pieces of {piece}");
        }
    }
}

#[test]
fn offsets_and_lengths_cover_the_file_without_gap_or_overlap() {
    for (name, file) in fixtures() {
        let (seen, tail) = replay(&file);
        let mut next = 0;
        for (index, entry) in seen.iter().enumerate() {
            assert_eq!((entry.number, entry.offset), (index as u64 + 1, next), "{name}");
            next += entry.length;
        }
        if let Tail::Torn { offset, length, .. } = tail {
            assert_eq!(offset.get(), next, "{name}");
            next += length.get();
        }
        assert_eq!(next, file.len() as u64, "{name}");
    }
}

#[test]
fn every_prefix_reads_as_a_prefix_of_the_lines() {
    for (name, file) in fixtures() {
        let (whole, _) = replay(&file);
        for end in (0..=file.len()).step_by(STEP) {
            let prefix = &file[..end];
            let (mut seen, tail) = replay(prefix);
            if tail == Tail::Unterminated {
                let last = seen.pop().unwrap();
                assert!(is_json(last.slice(prefix)), "{name} up to {end}: {last:?}");
            }
            assert_eq!(seen, whole[..seen.len()], "{name} up to {end}");
            let lines = lfs(prefix);
            assert_eq!(seen.len(), lines, "{name} up to {end}");
        }
    }
}

fn is_json(fragment: &[u8]) -> bool {
    let start = fragment.iter().position(|&byte| byte == b'{').unwrap();
    serde_json::from_slice::<IgnoredAny>(&fragment[start..]).is_ok()
}

#[test]
fn every_prefix_of_a_sealed_log_holds_the_records_that_were_written_whole() {
    let file = fixture("sealed");
    let whole = records(&file);
    for end in (0..=file.len()).step_by(STEP) {
        let written = lfs(&file[..end]);
        let lf_alone_is_missing = file.get(end) == Some(&b'\n');
        let expected = &whole[..written + usize::from(lf_alone_is_missing)];
        assert_eq!(records(&file[..end]), expected, "up to {end}");
    }
}

/// Files with a line that has a whole record at its start and more behind it: cut in between, that
/// record counts, and with the rest of its line it is none any more.
const WITH_MORE_BEHIND_A_RECORD: [&str; 4] =
    ["abandoned", "array_wrapped", "cr_only", "two_on_a_line"];

#[test]
fn the_records_of_every_prefix_of_every_log_are_the_first_ones_of_the_whole() {
    let mut others = Vec::new();
    for (name, file) in fixtures() {
        let whole = records(&file);
        let is_first = |end: &usize| whole.starts_with(&records(&file[..*end]));
        for end in (0..=file.len()).filter(|end| !is_first(end)) {
            let found = records(&file[..end]);
            let (last, before) = found.split_last().expect("one too many");
            assert!(whole.starts_with(before), "{name} up to {end}");
            let line_ends = memchr::memchr(b'\n', &file[end..]).map_or(file.len(), |lf| end + lf);
            let is_one_of = |end: usize| records(&file[..end]).contains(last);
            assert!(!is_one_of(line_ends), "{name} up to {end}: it was none of the line");
            others.push(name.clone());
        }
    }
    others.dedup();
    assert_eq!(others, WITH_MORE_BEHIND_A_RECORD);
}

// One bit of a sealed log flipped.

#[test]
fn a_flipped_bit_costs_at_most_its_own_record_and_is_never_read_as_another() {
    let file = fixture("sealed");
    let whole = records(&file);
    for (damaged, index) in flips(&file) {
        let line = lfs(&file[..index]);
        let hit = line..line + 1 + usize::from(file[index] == b'\n');
        let left = records(&damaged);
        assert!(is_same_but_for(&hit, &left, &whole), "byte {index}: {left:?}");
    }
    let bits = file.len() * 8;
    report(format_args!("replay: each of {bits} bits flipped"));
    assert!(bits > 7_000, "{bits}");
}

#[test]
fn two_records_joined_by_a_flipped_lf_are_both_won_back() {
    let file = fixture("sealed");
    let session = session();
    let whole = records(&file);
    for (damaged, index) in flips(&file).filter(|(_, index)| file[*index] == b'\n') {
        let (seen, tail) = replay(&damaged);
        let bad = seen.iter().filter(|seen| matches!(seen.line, Line::Bad(_)));
        let joined = bad.map(|seen| seen.slice(&damaged)).next().unwrap_or_else(|| match tail {
            Tail::Torn { offset, .. } => &damaged[usize::try_from(offset.get()).unwrap()..],
            other => panic!("byte {index}: nothing is bad and the tail is {other:?}"),
        });
        let line = lfs(&file[..index]);
        let won = win_back(joined, &session).into_iter().map(|range| &joined[range]);
        let won: Vec<_> = won.map(|record| Line::read(record, &session)).collect();
        let lost: Vec<_> = whole[line..].iter().take(2).cloned().map(Line::Record).collect();
        assert_eq!(won, lost, "byte {index}");
    }
}

#[test]
fn a_byte_that_became_another_costs_at_most_its_own_record_and_is_never_read_as_another() {
    let file = fixture("sealed");
    let whole = records(&file);
    for replacement in *b"\n\0\"\\" {
        for index in (0..file.len()).step_by(STEP) {
            let mut damaged = file.clone();
            damaged[index] = replacement;
            let line = lfs(&file[..index]);
            let hit = line..line + 1 + usize::from(file[index] == b'\n');
            let left = records(&damaged);
            assert!(is_same_but_for(&hit, &left, &whole), "{replacement} at {index}: {left:?}");
        }
    }
}

#[test]
fn a_byte_that_became_another_changes_no_line_before_it_and_none_behind_its_own() {
    let mut bytes = 0;
    for (name, file) in fixtures() {
        bytes += file.len();
        let (whole, _) = replay(&file);
        for replacement in *b"\n\0\"\\" {
            for index in (0..file.len()).step_by(STEP) {
                let mut damaged = file.clone();
                damaged[index] = replacement;
                let (seen, _) = replay(&damaged);
                let said = format!("{name}: {replacement} at {index}");
                let before = lfs(&file[..index]).min(whole.len());
                assert_eq!(seen[..before], whole[..before], "{said}");
                let end = |seen: &Seen| usize::try_from(seen.offset).unwrap();
                let behind = |entries: &[Seen]| {
                    let own = memchr::memchr(b'\n', &file[index + 1..])
                        .map_or(file.len(), |lf| index + 1 + lf + 1);
                    let behind = entries.iter().filter(|seen| end(seen) >= own);
                    behind.map(|seen| (seen.offset, seen.line.clone())).collect::<Vec<_>>()
                };
                assert_eq!(behind(&seen), behind(&whole), "{said}");
            }
        }
    }
    report(format_args!("replay: each of {bytes} bytes replaced four times"));
    assert!(bytes > 24_000, "{bytes}");
}

/// The file with each of its bits flipped in turn, and the byte that the bit is in.
fn flips(file: &[u8]) -> impl Iterator<Item = (Vec<u8>, usize)> {
    (0..file.len() * 8).step_by(STEP).map(|bit| {
        let mut damaged = file.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        (damaged, bit / 8)
    })
}

/// Whether `left` is `whole` without any, some or all of those that were `hit`.
///
/// A record that was hit may have lost its seal, where the key of the seal became another word.
fn is_same_but_for(hit: &Range<usize>, left: &[Record<'_>], whole: &[Record<'_>]) -> bool {
    let mut left = left.iter();
    let mut next = left.next();
    for (index, record) in whole.iter().enumerate() {
        let is_hit = hit.contains(&index);
        let is_there = next.is_some_and(|read| {
            read == record || is_hit && *read == Record { sealed: false, ..record.clone() }
        });
        if is_there {
            next = left.next();
        } else if !is_hit {
            return false;
        }
    }
    next.is_none()
}

// The longest line.

/// A note whose line has exactly `length` bytes, its LF not counted.
fn note_of(length: usize) -> String {
    let (head, tail) = (r#"{"v":1,"session":"kiln","text":""#, "\"}");
    let text = "x".repeat(length - head.len() - tail.len());
    [head, &text, tail].concat()
}

#[test]
fn a_line_of_the_greatest_length_is_read_and_one_byte_more_is_skipped() {
    for (length, is_read) in [(LINE_BYTES_MAX, true), (LINE_BYTES_MAX + 1, false)] {
        let file = [&note_of(100), "\n", &note_of(length), "\n", &note_of(100), "\n"].concat();
        for piece in [4_096, LINE_BYTES_MAX, file.len()] {
            let (seen, _) = replay_in_pieces(file.as_bytes(), piece);
            assert_eq!(matches!(seen[1].line, Line::Record(_)), is_read, "{length} in {piece}");
            assert_eq!(seen[1].line == Line::Bad(Fault::TooLong), !is_read);
            assert_eq!(seen[1].length, length as u64 + 1);
            assert!(matches!(seen[2].line, Line::Record(_)));
        }
        assert_rewind_agrees(file.as_bytes());
        assert_rewind_agrees(&file.as_bytes()[..file.len() - 102]);
    }
}

#[test]
fn an_endless_line_is_not_held_in_memory() {
    const FED: usize = 1 << 30;
    let session = session();
    let mut replay = Replay::of(&session);
    let piece = vec![b'y'; 1 << 20];
    let held = allocation_counter::measure(|| {
        for _ in 0..FED / piece.len() {
            replay.feed(&piece, &mut |entry| panic!("saw {entry:?}"));
        }
    });
    assert!(held.bytes_max < 4 << 20, "{held:?}");
    let fault = Fault::TooLong;
    let (offset, length) = (Bytes::ZERO, Bytes::new(FED as u64));
    assert_eq!(replay.finish(&mut |_| ()), Tail::Torn { offset, length, fault });
}

// Mixtures.

/// What logs are made of: records, whole and damaged, junk, and the bytes that part them.
fn scraps() -> impl Strategy<Value = Vec<u8>> {
    let whole = fixtures().into_iter().flat_map(|(_, file)| {
        file.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
    });
    prop_oneof![
        4 => prop::sample::select(whole.collect::<Vec<_>>()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::sample::select(vec![&b"\n"[..], b"\r\n", b"\0", b"{", b"\"", b"#\n", b"\xef\xbb\xbf"])
            .prop_map(<[u8]>::to_vec),
    ]
}

proptest! {
    #[test]
    fn a_mixture_reads_the_same_in_pieces_and_from_the_end(
        file in prop::collection::vec(scraps(), 0..12).prop_map(|scraps| scraps.concat()),
        piece in 1_usize..200,
    ) {
        prop_assert_eq!(replay_in_pieces(&file, piece), replay(&file));
        assert_rewind_agrees(&file);
    }

    #[test]
    fn what_is_thrown_in_between_lines_changes_no_record(
        junk in prop::collection::vec(any::<u8>(), 0..60),
        place in 0_usize..8,
    ) {
        let file = fixture("sealed");
        let mut lines: Vec<_> = file.split_inclusive(|&byte| byte == b'\n').collect();
        let thrown_in = [&junk[..], b"\n"].concat();
        lines.insert(place, &thrown_in);
        prop_assert_eq!(records(&lines.concat()), records(&file));
    }

    #[test]
    fn what_is_won_back_is_a_whole_record_and_in_order(
        line in prop::collection::vec(scraps(), 0..8).prop_map(|scraps| {
            scraps.concat().into_iter().filter(|&byte| byte != b'\n').collect::<Vec<_>>()
        }),
    ) {
        let session = session();
        let won = win_back(&line, &session);
        prop_assert!(won.is_sorted_by(|a, b| a.end <= b.start));
        for range in won {
            let read = Line::read(&line[range], &session);
            prop_assert!(!matches!(read, Line::Bad(_) | Line::Blank), "{:?}", read);
        }
    }
}
