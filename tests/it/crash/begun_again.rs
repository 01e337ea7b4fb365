//! The promise: what a crash cut short is finished by whoever comes next, and leaves no trace.

use super::{
    FaultyMedium, IGNORE, Image, LOG, Play, RepairMode, Step, TORN, add, line, s1, store_on, story,
    two_notes,
};
use crate::support::faulty::images;

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

#[test]
fn a_repair_that_was_cut_short_and_is_begun_again_puts_each_line_beside_the_log_once() {
    const REJECTED: &str = "s1.notes.rejected";
    let fused = [TORN, &line(3, "three")].concat();
    let log = [&two_notes()[..], b"junk\nmore\n", &fused, TORN].concat();
    let repaired = [two_notes(), line(3, "three")].concat();
    for older in [&b"older\n"[..], b""] {
        let files = [(LOG, &log[..]), (REJECTED, older)].map(|(n, b)| (n.to_owned(), b.to_vec()));
        let files: Image = files.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect();
        let rejected = [older, b"junk\nmore\n", &fused, TORN, b"\n"].concat();
        let repair = |medium: &FaultyMedium| {
            store_on(medium.clone()).repair(&s1(), RepairMode::Write).map(drop)
        };
        let begun_again = |medium: FaultyMedium, said: &str| {
            repair(&medium).expect(said);
            let live = medium.live();
            let names: Vec<_> = live.keys().map(String::as_str).collect();
            assert_eq!(names, [LOG, "s1.notes.lock", REJECTED], "{said}");
            assert_eq!(live[LOG], repaired, "{said}");
            let found = live[REJECTED].escape_ascii().to_string();
            assert_eq!(found, rejected.escape_ascii().to_string(), "{said}");
        };
        let alone = FaultyMedium::holding(&files);
        repair(&alone).expect("it goes well");
        for (k, op) in alone.trace().iter().enumerate() {
            let medium = FaultyMedium::holding(&files);
            medium.freeze_at(k + 1);
            let _ = repair(&medium);
            begun_again(medium.after_kill(), &format!("killed after {op:?}"));
            images(&medium.disk(), LOG, &mut |image| {
                begun_again(FaultyMedium::holding(image), &format!("power gone after {op:?}"));
            });
        }
    }
}
