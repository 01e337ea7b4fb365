//! From the end a log reads as it does from its start, in reverse, whatever it holds; and the
//! newest line costs what stands behind it.

use std::ops::ControlFlow;

use graff_notes::{
    log::{LINE_BYTES_MAX, Rewind, Tail},
    units::Bytes,
};

use super::{STEP, note_of};
use crate::support::logs::{fixture, fixtures, replay, rewind, session};

/// Checks that a rewind sees what a replay sees, in reverse.
#[track_caller]
pub(super) fn assert_rewind_agrees(file: &[u8]) {
    let (from_the_front, tail) = replay(file);
    let (mut from_the_end, tail_seen, _) = rewind(file, usize::MAX);
    from_the_end.reverse();
    assert_eq!(from_the_end, from_the_front);
    assert_eq!(tail_seen, Some(tail));
}

#[test]
fn a_rewind_sees_in_reverse_what_a_replay_sees() {
    assert_rewind_agrees(b"");
    for (_, file) in fixtures() {
        for end in (0..=file.len()).step_by(STEP) {
            assert_rewind_agrees(&file[..end]);
        }
    }
}

#[test]
fn a_rewind_over_many_windows_sees_what_a_replay_sees() {
    // Lines of every length around the first windows, so that LFs fall on both sides of each edge.
    for length in [1_022, 8_189, 8_190, 8_191, 8_192, 8_193, 16_383, 16_384, 24_575, 24_576] {
        let line = [&note_of(length), "\n"].concat();
        assert_rewind_agrees(line.repeat(9).as_bytes());
        assert_rewind_agrees([&line.repeat(5), "\n\n", &line[..length / 2]].concat().as_bytes());
    }
    assert_rewind_agrees("\n".repeat(70_000).as_bytes());
}

#[test]
fn a_rewind_over_endless_lines_sees_what_a_replay_sees() {
    let window_max = LINE_BYTES_MAX + 2;
    for length in [2 * window_max - 1, 2 * window_max, 2 * window_max + 1, 3 * window_max - 10_000]
    {
        let endless = "y".repeat(length);
        assert_rewind_agrees(endless.as_bytes());
        assert_rewind_agrees([&endless, "\n"].concat().as_bytes());
        assert_rewind_agrees([&note_of(100), "\n", &endless].concat().as_bytes());
        assert_rewind_agrees(
            [&note_of(9_000), "\n", &endless, "\n\n", &endless, "\n"].concat().as_bytes(),
        );
    }
}

#[test]
fn the_newest_line_costs_one_small_window_whatever_stands_before_it() {
    let line = [&note_of(2_048), "\n"].concat();
    for lines in [1, 10, 1_000] {
        let file = line.repeat(lines);
        let (seen, tail, bytes_read) = rewind(file.as_bytes(), 1);
        assert_eq!((seen.len(), tail), (1, Some(Tail::Clean)));
        assert_eq!(bytes_read, (file.len() as u64).min(8 * 1024));
    }
}

#[test]
fn a_line_costs_little_more_than_twice_the_bytes_from_it_to_the_end() {
    let note = [&note_of(2_048), "\n"].concat();
    for behind in [10_000, 100_000, 900_000] {
        let junk = "junk\n".repeat(behind / 5);
        let file = note.repeat(50) + &junk;
        let (_, _, bytes_read) = rewind(file.as_bytes(), behind / 5 + 1);
        let from_it = (behind + note.len()) as u64;
        assert!(bytes_read <= 2 * from_it + 8 * 1024, "{bytes_read} for {from_it}");
    }
}

#[test]
fn a_rewind_goes_on_where_it_broke_off() {
    for (name, file) in fixtures() {
        let session = session();
        let mut rewind_by_one = Rewind::of(&session, Bytes::new(file.len() as u64));
        let mut offsets = Vec::new();
        while let Some(range) = rewind_by_one.wants() {
            let window = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            let _ = rewind_by_one.feed(&file[window], &mut |placed| {
                offsets.push(placed.offset.get());
                ControlFlow::Break(())
            });
        }
        let (at_once, ..) = rewind(&file, usize::MAX);
        assert_eq!(offsets, at_once.iter().map(|seen| seen.offset).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_window_that_was_not_asked_for_is_refused() {
    let file = fixture("sealed");
    let session = session();
    let mut rewind = Rewind::of(&session, Bytes::new(file.len() as u64));
    for short in [0, 1, file.len() - 1] {
        let flow = rewind.feed(&file[..short], &mut |placed| panic!("saw {placed:?}"));
        assert!(flow.is_break());
        assert_eq!(rewind.wants(), Some(0..file.len() as u64));
    }
}
