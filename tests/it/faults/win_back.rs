//! What repair can win back from a bad line, what it can't, and in what time.

use std::{sync::mpsc, thread, time::Duration};

use graff_notes::log::{LINE_BYTES_MAX, Line, Tail, win_back};

use crate::support::logs::{fixture, fixtures, replay, session};

/// The numbers of the records that can be won back from the bad lines and the torn tail of a log.
fn won_back(name: &str) -> Vec<u64> {
    let file = fixture(name);
    let (seen, tail) = replay(&file);
    let bad = seen.iter().filter(|seen| matches!(seen.line, Line::Bad(_)));
    let mut stretches: Vec<_> =
        bad.map(|seen| seen.slice(&file)).map(|line| line.strip_suffix(b"\n").unwrap()).collect();
    if let Tail::Torn { offset, .. } = tail {
        stretches.push(&file[usize::try_from(offset.get()).unwrap()..]);
    }
    let session = session();
    let records = stretches.iter().flat_map(|line| {
        let won = win_back(line, &session);
        won.into_iter().map(|range| Line::read(&line[range], &session))
    });
    records.map(|line| seq_of(&line)).collect()
}

fn seq_of(line: &Line<'_>) -> u64 {
    let Line::Record(record) = line else { panic!("no record: {line:?}") };
    record.seq.unwrap().get()
}

#[test]
fn whole_records_behind_a_stub_or_another_record_are_won_back_and_no_others() {
    let expected: &[(&str, &[u64])] = &[
        ("fused", &[3]),
        ("fused_sealed", &[3]),
        ("two_on_a_line", &[2, 3]),
        ("cr_only", &[1, 2, 3]),
    ];
    for (name, _) in fixtures() {
        let seqs = expected.iter().find(|(file, _)| *file == name).map_or(&[][..], |row| row.1);
        assert_eq!(won_back(&name), seqs, "{name}");
    }
}

/// What is won back of a line that is put together from `parts`: the parts that come back.
#[track_caller]
fn salvaged(parts: &[&str]) -> Vec<String> {
    let line = parts.concat();
    let won = win_back(line.as_bytes(), &session());
    won.into_iter().map(|range| line[range].to_owned()).collect()
}

const UNSEALED: &str = r#"{"v":1,"session":"kiln","text":"unsealed"}"#;
const FOREIGN: &str = r#"{"v":1,"session":"wheel","text":"unsealed"}"#;

/// A note of the sealed fixture.
fn sealed() -> String {
    let file = String::from_utf8(fixture("sealed")).unwrap();
    file.lines().nth(1).unwrap().to_owned()
}

#[test]
fn a_sealed_record_is_won_back_wherever_it_stands() {
    let sealed = &sealed();
    assert_eq!(salvaged(&["stub", sealed, ",junk"]), [sealed.as_str()]);
    assert_eq!(salvaged(&["[", sealed, ",", sealed, "]"]), [sealed.as_str(), sealed]);
    let file = String::from_utf8(fixture("foreign_session")).unwrap();
    let foreign = file.lines().last().unwrap();
    assert_eq!(salvaged(&["{\"v\":1,\"se", foreign, "J", sealed]), [foreign, sealed]);
}

#[test]
fn an_unsealed_record_is_won_back_where_only_whole_records_of_this_session_follow() {
    let sealed = &sealed();
    assert_eq!(salvaged(&["stub", UNSEALED, "\r"]), [UNSEALED]);
    assert_eq!(salvaged(&[UNSEALED, "\r", sealed, " \t"]), [UNSEALED, sealed]);
    assert_eq!(salvaged(&[UNSEALED, ","]), [""; 0]);
    assert_eq!(salvaged(&[UNSEALED, "{\"v\":1,\"ses"]), [""; 0]);
    assert_eq!(salvaged(&[UNSEALED, FOREIGN]), [""; 0]);
    assert_eq!(salvaged(&["stub", r#"{"v":2,"session":"kiln"}"#]), [""; 0]);
}

#[test]
fn what_a_failed_append_gave_up_never_comes_back() {
    let sealed = &sealed();
    assert_eq!(salvaged(&[sealed, "#"]), [""; 0]);
    assert_eq!(salvaged(&["stub", UNSEALED, "#"]), [""; 0]);
    assert_eq!(salvaged(&[sealed, sealed, "#"]), [sealed.as_str()]);
    assert_eq!(salvaged(&[UNSEALED, sealed, "#"]), [""; 0]);
}

/// Linear work takes a second or two; quadratic work on these lines takes hours.
const SALVAGE_DEADLINE: Duration = Duration::from_secs(120);

#[test]
fn winning_back_is_done_in_time_whatever_the_line_holds() {
    let fillings = [
        "{",
        "{\"v\":",
        "{\"v\":1,\"session\":\"kiln\",\"x\":",
        "[",
        "\"{\"v\":1,\\",
        UNSEALED,
        "#",
    ];
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        for filling in fillings {
            let line = filling.repeat(LINE_BYTES_MAX / filling.len());
            done.send((filling, win_back(line.as_bytes(), &session()).len())).unwrap();
        }
    });
    for filling in fillings {
        let whole = usize::from(filling == UNSEALED) * (LINE_BYTES_MAX / UNSEALED.len());
        assert_eq!(is_done.recv_timeout(SALVAGE_DEADLINE), Ok((filling, whole)));
    }
}
