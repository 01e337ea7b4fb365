//! The promise: what a crash cut short is finished by whoever comes next, and leaves no trace.

use graff_notes::{Error, store::RepairMode};

use super::{
    TORN,
    play::{Play, Step, story},
    two_notes,
};
use crate::support::{
    faulty::{Fault, FaultyMedium, IGNORE, Image, Op, OpKind, When, images},
    notes::{LOG, add, line, s1, store_on},
};

#[test]
fn a_store_whose_making_a_crash_cut_short_is_kept_out_of_version_control_by_its_first_note() {
    let story = story("cut short", None, &[]).then([Step::Append("one")]);
    let operations = Play::of(&story, None).medium.trace().len();
    for k in 1..=operations {
        images(&Play::of(&story, Some(k)).medium.disk(), LOG, &mut |image| {
            let medium = FaultyMedium::holding(image);
            add(&store_on(medium.clone()), "after the crash");
            let least = medium.least();
            assert_eq!(least.get(IGNORE).map(Vec::as_slice), Some(&b"*\n"[..]), "{image:?}");
            let live = medium.live();
            assert!(!live.keys().any(|name| name.starts_with(".gitignore.")), "{image:?}");
        });
    }
}

const REJECTED: &str = "s1.notes.rejected";
const MARK: &str = "s1.notes.repairing";

/// A damaged log, with `older` lines beside it that an earlier repair took out.
struct Damaged {
    older: &'static [u8],
}

impl Damaged {
    /// With older lines and without.
    const ALL: [Self; 2] = [Self { older: b"an older line\n" }, Self { older: b"" }];

    fn fused() -> Vec<u8> {
        [TORN, &line(3, "three")].concat()
    }

    fn image(&self) -> Image {
        let log = [&two_notes()[..], b"junk\nmore\n", &Self::fused(), TORN].concat();
        let files = [(LOG, &log[..]), (REJECTED, self.older)];
        let files = files.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        files.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect()
    }

    #[track_caller]
    fn is_repaired_by_another_repair(&self, medium: &FaultyMedium, said: &str) {
        repair(medium).expect(said);
        let live = medium.live();
        let names: Vec<_> = live.keys().map(String::as_str).collect();
        assert_eq!(names, [LOG, "s1.notes.lock", REJECTED], "{said}");
        assert_eq!(live[LOG], [two_notes(), line(3, "three")].concat(), "{said}");
        let rejected = [self.older, b"junk\nmore\n", &Self::fused(), TORN, b"\n"].concat();
        let found = live[REJECTED].escape_ascii().to_string();
        assert_eq!(found, rejected.escape_ascii().to_string(), "{said}");
    }
}

fn repair(medium: &FaultyMedium) -> Result<(), Error> {
    store_on(medium.clone()).repair(&s1(), RepairMode::Write).map(drop)
}

/// A repair of `image` that was killed after each of its operations, and the operation.
fn killed(image: &Image) -> Vec<(FaultyMedium, Op)> {
    let alone = FaultyMedium::holding(image);
    repair(&alone).expect("it goes well");
    let killed_after = |(k, op)| {
        let medium = FaultyMedium::holding(image);
        medium.freeze_at(k + 1);
        let _ = repair(&medium);
        (medium, op)
    };
    alone.trace().into_iter().enumerate().map(killed_after).collect()
}

#[test]
fn a_repair_that_was_cut_short_and_is_begun_again_puts_each_line_beside_the_log_once() {
    for damaged in Damaged::ALL {
        for (medium, op) in killed(&damaged.image()) {
            let said = format!("killed after {op:?}");
            damaged.is_repaired_by_another_repair(&medium.after_kill(), &said);
            images(&medium.disk(), LOG, &mut |image| {
                let said = format!("power gone after {op:?}");
                damaged.is_repaired_by_another_repair(&FaultyMedium::holding(image), &said);
            });
        }
    }
}

#[test]
fn a_repair_that_was_killed_in_the_middle_of_a_write_is_finished_by_the_next() {
    let mut killed = 0;
    let stale = Image::from([("s1.notes.repaired".to_owned(), b"half".to_vec())]);
    let each =
        Damaged::ALL.iter().flat_map(|damaged| [(damaged, Image::new()), (damaged, stale.clone())]);
    for (damaged, mut image) in each {
        image.append(&mut damaged.image());
        let alone = FaultyMedium::holding(&image);
        repair(&alone).expect("it goes well");
        let writes = alone.trace().into_iter().enumerate();
        for (index, op) in writes.filter(|(_, op)| op.kind == OpKind::Append) {
            let mut seen = None;
            for taken in 0.. {
                let medium = FaultyMedium::holding(&image);
                medium.plan(When::At(index), Fault::Short(taken));
                medium.freeze_at(index + 1);
                let _ = repair(&medium);
                let left = Some(medium.live());
                if seen == left {
                    break; // all but the last byte: more is never taken
                }
                seen = left;
                let said = format!("killed after {taken} bytes of {op:?}");
                damaged.is_repaired_by_another_repair(&medium.after_kill(), &said);
                killed += 1;
            }
        }
    }
    assert!(killed > 400, "{killed}");
}

#[test]
fn the_conclusion_of_a_repair_that_was_cut_short_may_be_cut_short_too() {
    let mut conclusions = 0;
    for damaged in Damaged::ALL {
        let killed = killed(&damaged.image()).into_iter();
        for (medium, first) in killed.filter(|(medium, _)| medium.live().contains_key(MARK)) {
            let alone = medium.after_kill();
            repair(&alone).expect("it goes well");
            let unmarked = |op: &Op| op.kind == OpKind::Remove && op.on == MARK;
            let end = alone.trace().iter().position(unmarked).expect("it is concluded");
            for (k, second) in alone.trace().iter().enumerate().take(end + 1) {
                let medium = medium.after_kill();
                medium.freeze_at(k + 1);
                let _ = repair(&medium);
                let said = format!("killed after {first:?}, power gone after {second:?}");
                images(&medium.disk(), LOG, &mut |image| {
                    damaged.is_repaired_by_another_repair(&FaultyMedium::holding(image), &said);
                });
                conclusions += 1;
            }
        }
    }
    assert!(conclusions > 0, "none was cut short");
}

#[test]
fn a_session_that_was_but_begun_is_forgotten_for_good_and_can_be_where_that_was_cut_short() {
    let begun = [MARK, "s1.notes.repaired"];
    let is_left = |image: &Image| begun.iter().any(|name| image.contains_key(*name));
    for names in [&begun[..1], &begun] {
        let image: Image = names.iter().map(|name| ((*name).to_owned(), b"0\n".to_vec())).collect();
        let forget = |medium: &FaultyMedium| store_on(medium.clone()).forget(&s1());
        let whole = FaultyMedium::holding(&image);
        forget(&whole).expect("it is known by its mark");
        images(&whole.disk(), LOG, &mut |image| assert!(!is_left(image), "{image:?}"));
        for (k, op) in whole.trace().iter().enumerate() {
            let medium = FaultyMedium::holding(&image);
            medium.freeze_at(k + 1);
            let _ = forget(&medium);
            images(&medium.disk(), LOG, &mut |image| {
                let again = FaultyMedium::holding(image);
                assert_eq!(forget(&again).is_ok(), is_left(image), "power gone after {op:?}");
                assert!(!is_left(&again.least()), "power gone after {op:?}");
            });
        }
    }
}
