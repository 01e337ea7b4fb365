//! The promise: a repair keeps every good line byte for byte and in its place, puts the rest beside
//! the log, and where it fails it has changed nothing.

use std::{collections::BTreeMap, fs, io};

use graff_notes::{
    Error, ErrorKind,
    log::{Concern, Fault, Finding},
    store::{Dropped, FinalNewline, Repair, RepairMode},
    units::Bytes,
};
use rustix::io::Errno;

use super::{FOREIGN, NEWER, TORN, UNSEALED, two_notes};
use crate::support::{
    faulty::{Fault as DiskFault, FaultyMedium, Image, OpKind, When},
    logs,
    notes::{Home, LOG, add, line, records, s1, store_on},
    report,
};

#[test]
fn a_repair_keeps_every_good_line_byte_for_byte_and_puts_the_rest_beside_the_log() {
    let home = Home::new();
    let odd = b"\0\0{\"v\":1, \"session\":\"s1\", \"text\":\"odd\", \"more\":[1]}\r\n";
    let fused = [TORN, &line(3, "three")].concat();
    let parts: [&[u8]; 9] =
        [b"\n", UNSEALED, b"junk\n", odd, FOREIGN, NEWER, &fused, &line(4, "four"), TORN];
    let log = parts.concat();
    home.put(&log);

    let plan = home.store.repair(&s1(), RepairMode::DryRun).expect("a plan");
    assert_eq!(home.bytes(), log);
    assert_eq!(home.names(), [LOG], "a dry run writes nothing");
    let at = |part: usize| Bytes::new(parts[..part].iter().map(|p| p.len() as u64).sum());
    let dropped = |line, part: usize, concern, won_back| Dropped {
        line,
        offset: at(part),
        length: Bytes::new(parts[part].len() as u64),
        concern,
        won_back,
    };
    let named = vec![
        dropped(3, 2, Concern::Bad(Fault::Malformed { at: 1 }), 0),
        dropped(7, 6, Concern::Bad(Fault::RunTogether), 1),
        dropped(9, 8, Concern::TornTail(Fault::Unfinished), 0),
    ];
    let final_newline = FinalNewline::There;
    assert_eq!(plan, Repair { kept: 6, won_back: 1, dropped: 3, named, final_newline });

    assert_eq!(home.store.repair(&s1(), RepairMode::Write).expect("a repair"), plan);
    let kept = [b"\n", UNSEALED, odd, FOREIGN, NEWER, &line(3, "three"), &line(4, "four")].concat();
    assert_eq!(home.bytes(), kept);
    let rejected = fs::read(home.store.rejected_path(&s1())).expect("it is kept");
    assert_eq!(rejected, [b"junk\n", &fused[..], TORN, b"\n"].concat());
    assert_eq!(home.names(), [LOG, "s1.notes.lock", "s1.notes.rejected"]);

    assert!(home.store.repair(&s1(), RepairMode::Write).expect("nothing to do").is_clean());
    assert_eq!(home.bytes(), kept, "a second repair changes nothing");
    assert_eq!(fs::read(home.store.rejected_path(&s1())).expect("it"), rejected);
}

#[test]
fn two_records_joined_by_a_flipped_lf_are_both_back_after_a_repair() {
    let log = [two_notes(), line(3, "three")].concat();
    for at in (0..log.len()).filter(|at| log[*at] == b'\n') {
        for bit in 0..8 {
            let mut damaged = log.clone();
            damaged[at] ^= 1 << bit;
            let medium = FaultyMedium::holding(&Image::from([(LOG.to_owned(), damaged)]));
            let store = store_on(medium.clone());
            assert!(records(&store).len() < 3 || at == log.len() - 1, "byte {at}, bit {bit}");
            let _ = store.repair(&s1(), RepairMode::Write).expect("a repair");
            assert_eq!(medium.live()[LOG], log, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn verify_says_of_each_finding_in_every_fixture_what_a_repair_then_does_with_its_line() {
    let session = logs::session();
    let file = format!("{}.notes.jsonl", session.as_str());
    let (mut taken_out, mut kept) = (0, 0);
    for (name, log) in logs::fixtures() {
        let medium = FaultyMedium::holding(&Image::from([(file.clone(), log.clone())]));
        let store = store_on(medium.clone());
        let health = store.verify(&session).expect("a log");
        let plan = store.repair(&session, RepairMode::Write).expect("a repair");
        let dropped: Vec<_> = plan.named.iter().map(|line| (line.line, line.offset)).collect();
        let now = medium.live().remove(&file).expect("a log");
        let findings = health.faults.iter().chain(&health.remarks);
        let goes = |finding: &&Finding| {
            let words = finding.concern.under_repair(0);
            assert!(words.starts_with("repair takes it out") || words == "repair keeps it");
            words != "repair keeps it"
        };
        let (going, staying): (Vec<_>, Vec<_>) = findings.partition(goes);
        let places: Vec<_> = going.iter().map(|f| (f.line, f.offset)).collect();
        assert_eq!(places, dropped, "{name}");
        for (finding, line) in going.iter().zip(&plan.named) {
            assert_eq!(finding.concern, line.concern, "{name}: one word for one thing");
        }
        for finding in &staying {
            let line = &log[usize::try_from(finding.offset.get()).expect("an offset")..];
            let line = line.split_inclusive(|byte| *byte == b'\n').next().expect("a line");
            assert!(memchr::memmem::find(&now, line).is_some(), "{name}: {finding}");
        }
        (taken_out, kept) = (taken_out + going.len(), kept + staying.len());
        let again = store.repair(&session, RepairMode::Write).expect("a repair");
        assert!(again.is_clean() && medium.live()[&file] == now, "{name}");
    }
    report(format_args!("verify: {taken_out} findings taken out as it said, {kept} kept"));
    assert!(taken_out > 50 && kept > 5, "{taken_out}, {kept}");
}

#[test]
fn a_repair_supplies_a_missing_lf() {
    let home = Home::new();
    let mut log = two_notes();
    log.pop();
    home.put(&log);
    let plan = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!((plan.kept, plan.dropped, plan.final_newline), (2, 0, FinalNewline::Supplied));
    assert_eq!(home.bytes(), two_notes());
    assert_eq!(home.names(), [LOG, "s1.notes.lock"], "nothing was taken out");
}

#[test]
fn a_million_bad_lines_are_taken_out_in_a_few_writes() {
    let log = [two_notes(), b"x\n".repeat(1_000_000), line(3, "three")].concat();
    let medium = FaultyMedium::holding(&Image::from([(LOG.to_owned(), log)]));
    let plan = store_on(medium.clone()).repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!((plan.kept, plan.dropped, plan.named.len()), (3, 1_000_000, 1_000));
    assert_eq!(medium.live()["s1.notes.rejected"], b"x\n".repeat(1_000_000));
    let operations = medium.trace().len();
    assert!(operations < 200, "{operations}: not one for each line");
}

#[test]
fn what_a_repair_left_that_did_not_come_to_its_end_blocks_nothing() {
    let home = Home::new();
    home.put([&two_notes()[..], b"junk\n"].concat());
    for leftover in ["s1.notes.repaired", "s1.notes.repairing"] {
        fs::write(home.root.join(".graff/notes").join(leftover), "half").expect("a leftover");
    }
    add(&home.store, "three");
    assert_eq!(home.names(), [LOG, "s1.notes.lock"], "an append takes them away");
    fs::write(home.root.join(".graff/notes/s1.notes.repaired"), "half").expect("a leftover");
    let _ = home.store.repair(&s1(), RepairMode::Write).expect("a repair");
    assert_eq!(records(&home.store), ["one", "two", "three"]);
    assert_eq!(home.names(), [LOG, "s1.notes.lock", "s1.notes.rejected"]);
}

const REJECTED: &str = "s1.notes.rejected";

/// A disk with a damaged log, and a line beside it that an earlier repair took out.
fn damaged() -> FaultyMedium {
    let log = [&two_notes()[..], b"junk\n", TORN].concat();
    let files = [(LOG, log), (REJECTED, b"older\n".to_vec())];
    FaultyMedium::holding(&files.map(|(name, bytes)| (name.to_owned(), bytes)).into())
}

fn repair(medium: &FaultyMedium) -> Result<Repair, Error> {
    store_on(medium.clone()).repair(&s1(), RepairMode::Write)
}

/// Checks that a repair which failed left both files as they were, and nothing else.
#[track_caller]
fn assert_untouched(medium: &FaultyMedium, said: &str) {
    let (mut live, before) = (medium.live(), damaged().live());
    live.remove("s1.notes.lock");
    assert_eq!(live, before, "{said}");
}

#[track_caller]
fn assert_repaired(medium: &FaultyMedium, said: &str) {
    let live = medium.live();
    let names: Vec<_> = live.keys().map(String::as_str).collect();
    assert_eq!(names, [LOG, "s1.notes.lock", REJECTED], "{said}");
    assert_eq!(live[LOG], two_notes(), "{said}");
    assert_eq!(live[REJECTED], [b"older\njunk\n", TORN, b"\n"].concat(), "{said}");
}

#[test]
fn a_repair_that_fails_changes_neither_the_log_nor_what_earlier_ones_took_out() {
    let alone = damaged();
    let _ = repair(&alone).expect("it goes well");
    let mut failures = 0;
    for index in 0..alone.trace().len() {
        let medium = damaged();
        medium.plan(When::At(index), DiskFault::Fail(Errno::NOSPC));
        let Err(e) = repair(&medium) else { continue };
        failures += 1;
        let said = e.with_causes();
        if e.kind() != ErrorKind::Uncertain {
            assert_untouched(&medium, &said);
        }
        let _ = repair(&medium).expect("the next one goes well");
        assert_repaired(&medium, &said);
    }
    assert!(failures > 20, "{failures}");
}

/// How much the operation with this index, in a repair, appends to a file.
fn appended(index: usize, file: &str) -> usize {
    let len = |operations| {
        let medium = damaged();
        medium.freeze_at(operations);
        let _ = repair(&medium);
        medium.live().get(file).map_or(0, Vec::len)
    };
    len(index + 1) - len(index)
}

#[test]
fn a_write_of_a_repair_that_is_short_by_any_length_is_gone_on_with_or_said_and_finished_later() {
    let alone = damaged();
    let _ = repair(&alone).expect("it goes well");
    let mut short_by_file = BTreeMap::new();
    let writes = alone.trace().into_iter().enumerate();
    for (index, op) in writes.filter(|(_, op)| op.kind == OpKind::Append) {
        let path = format!("append to /r/.graff/notes/{}", op.on);
        for taken in 0..appended(index, &op.on) {
            let short = || {
                let medium = damaged();
                medium.plan(When::At(index), DiskFault::Short(taken));
                medium
            };
            let said = format!("{taken} bytes of write {index}, {}", op.on);
            if taken > 0 {
                let medium = short();
                let _ = repair(&medium).expect(&said);
                assert_repaired(&medium, &said);
            }
            let medium = short();
            let (kind, why) = if taken == 0 {
                (ErrorKind::Io, io::Error::from(io::ErrorKind::WriteZero))
            } else {
                medium.plan(When::At(index + 1), DiskFault::Fail(Errno::NOSPC));
                (ErrorKind::NoSpace, Errno::NOSPC.into())
            };
            let e = repair(&medium).expect_err(&said);
            assert_eq!((e.kind(), e.with_causes()), (kind, format!("{path}: {why}")), "{said}");
            assert_untouched(&medium.after_kill(), &said);
            let _ = repair(&medium.after_kill()).expect(&said);
            *short_by_file.entry(op.on.clone()).or_insert(0) += 1;
        }
    }
    let of = |file: &str| short_by_file.get(file).copied().unwrap_or(0);
    let live = alone.live();
    assert_eq!(of("s1.notes.repairing"), "6\n".len());
    assert_eq!(of("s1.notes.repaired"), live[LOG].len());
    assert_eq!(of(REJECTED), live[REJECTED].len() - "older\n".len());
}
