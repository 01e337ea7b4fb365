//! Every pair of what writes, and every reader beside every writer: what comes of the two is what
//! would have come of one after the other, in one order or the other.

use graff_notes::{
    Error, ErrorKind,
    store::{RepairMode, Store},
};

use super::{super::two_notes, TORN, interleaved};
use crate::support::{
    faulty::FaultyMedium,
    notes::{LOG, import, line, note, records, s1, store_on},
    report,
};

/// What writes, each with its name.
const WRITERS: [(&str, Act); 4] = [
    ("append", |store| said(store.append(&s1(), &note("new")))),
    ("repair", |store| said(store.repair(&s1(), RepairMode::Write))),
    ("import", |store| {
        said(import(store, &[two_notes(), line(3, "three"), line(4, "four")].concat()))
    }),
    ("forget", |store| said(store.forget(&s1()))),
];

/// What reads, each with its name; it says the notes that it saw.
const READERS: [(&str, Read); 3] = [
    ("replay", records),
    ("newest", |store| {
        let newest = store.newest(&s1()).map(|newest| newest.note.expect("a note").text);
        newest.map_or_else(|e| none_there(&e), |text| vec![text])
    }),
    ("verify", |store| {
        let health = store.verify(&s1());
        health.map_or_else(|e| none_there(&e), |health| vec![format!("{} notes", health.notes)])
    }),
];

type Act = fn(&Store) -> Outcome;

type Read = fn(&Store) -> Vec<String>;

/// What an act answered, or why it could not.
type Outcome = Result<String, ErrorKind>;

fn said<T: std::fmt::Debug>(answer: Result<T, Error>) -> Outcome {
    answer.map(|answer| format!("{answer:?}")).map_err(|e| e.kind())
}

#[track_caller]
fn none_there<T>(e: &Error) -> Vec<T> {
    assert_eq!(e.kind(), ErrorKind::NotFound, "{}", e.with_causes());
    Vec::new()
}

/// A log on which each of them has something to do.
fn log() -> Vec<u8> {
    [&two_notes()[..], b"junk\n", TORN].concat()
}

/// What comes of acts, one after the other: what each answers, and what is durable then.
fn in_turn(acts: &[Act]) -> (Vec<Outcome>, Vec<String>) {
    let medium = super::holding(&log());
    let outcomes = acts.iter().map(|act| act(&store_on(medium.clone()))).collect();
    (outcomes, durable(&medium))
}

fn durable(medium: &FaultyMedium) -> Vec<String> {
    records(&store_on(FaultyMedium::holding(&medium.least())))
}

/// Returns everything that may come of two at once: the answer of the first, that of the second,
/// and what is durable then.
fn allowed(first: Act, second: Act) -> Vec<(Outcome, Outcome, Vec<String>)> {
    let busy = || Err(ErrorKind::Busy);
    let one = |mut outcomes: Vec<Outcome>| outcomes.remove(0);
    let (alone, after_first) = in_turn(&[first]);
    let (other_alone, after_second) = in_turn(&[second]);
    let (in_order, after_both) = in_turn(&[first, second]);
    let (in_other_order, after_both_too) = in_turn(&[second, first]);
    let mut allowed = vec![
        (in_order[0].clone(), in_order[1].clone(), after_both),
        (in_other_order[1].clone(), in_other_order[0].clone(), after_both_too),
        (one(alone), busy(), after_first),
        (busy(), one(other_alone.clone()), after_second.clone()),
    ];
    let forgotten: Outcome = Ok("()".to_owned());
    if [&other_alone[..], &in_order].iter().all(|said| said[0] == forgotten) {
        // Who forgets what another is just forgetting is told that it is forgotten, as it is.
        allowed.push((forgotten.clone(), forgotten, after_second));
    }
    allowed
}

#[test]
fn of_any_two_that_write_each_is_done_as_if_alone_or_kept_out() {
    let mut operations = 0;
    for (name, first) in WRITERS {
        for (other, second) in WRITERS {
            let allowed = allowed(first, second);
            operations += interleaved(&log(), first, second, |of_first, of_second, medium| {
                let found = (of_first, of_second, durable(&medium));
                let said = format!("{other} in the middle of {name}: {found:?}");
                assert!(allowed.contains(&found), "{said}, and not one of {allowed:#?}");
                assert_eq!(records(&store_on(medium.clone())), found.2, "{said}");
                let live = medium.live();
                let files = [LOG, "s1.notes.rejected"].map(|name| live.get(name));
                let junk = files.into_iter().flatten().map(|file| count(file, b"junk\n"));
                let is_forgotten = [(name, &found.0), (other, &found.1)]
                    .iter()
                    .any(|(name, outcome)| *name == "forget" && outcome.is_ok());
                assert_eq!(junk.sum::<usize>(), usize::from(!is_forgotten), "{said}");
            });
        }
    }
    report(format_args!("together: {operations} operations, each with another process before it"));
    assert!(operations >= 300, "{operations}");
}

fn count(file: &[u8], part: &[u8]) -> usize {
    memchr::memmem::find_iter(file, part).count()
}

#[test]
fn who_reads_beside_a_writer_sees_the_log_before_or_after() {
    for (name, write) in WRITERS {
        for (reader, read) in READERS {
            let read_after = |acts: &[Act]| {
                let medium = super::holding(&log());
                for act in acts {
                    let _ = act(&store_on(medium.clone()));
                }
                read(&store_on(medium))
            };
            let allowed = [read_after(&[]), read_after(&[write])];
            let check = |seen: Vec<String>, written: Outcome| {
                assert!(allowed.contains(&seen), "{reader} and {name}: {seen:?}");
                assert!(written.is_ok() || written == Err(ErrorKind::Busy), "{name}: {written:?}");
            };
            interleaved(&log(), write, read, |written, seen, _| check(seen, written));
            interleaved(&log(), read, write, |seen, written, _| check(seen, written));
        }
    }
}
