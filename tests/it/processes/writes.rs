//! The program's `write`, killed at random moments: whatever it said to be stored is there.

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::{Child, Stdio},
    thread,
};

use super::{Duration, Random};
use crate::support::world::World;

/// How many are killed, four at a time.
const KILLS: usize = 100;

/// The least of them that have to be killed before they said anything, and after it, to show
/// something.
const LEAST: usize = 10;

fn starts_to_write(world: &World, text: &str) -> Child {
    world
        .command(&["write", "s1", "--text", text])
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

/// The number that a killed `write` had given its note before, if it came to that.
#[track_caller]
fn said(child: Child) -> Option<u64> {
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said.is_empty() || said.ends_with("\t0\tstored\n"), "{said:?}");
    said.split('\t').next().and_then(|seq| seq.parse().ok())
}

#[test]
fn every_note_that_write_acknowledged_is_there_after_a_hundred_kills_at_random_moments() {
    let world = World::new();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut acknowledged, mut begun) = (Vec::new(), Vec::new());
    // It finds to the time that a `write` takes on this machine, however busy that is.
    let mut longest = 20_000;
    for round in 0..KILLS / 4 {
        let texts = [0, 1, 2, 3].map(|i| format!("killed {round}.{i}"));
        let victims = texts.map(|text| (starts_to_write(&world, &text), text));
        thread::sleep(Duration::from_micros(random.below(longest)));
        let before = acknowledged.len();
        for (mut victim, text) in victims {
            victim.kill().expect("it can be killed");
            acknowledged.extend(said(victim).map(|seq| (seq, text.clone())));
            begun.push(text);
        }
        longest = if acknowledged.len() - before > 2 { longest / 4 * 3 } else { longest / 3 * 4 };
    }
    audit(&world, &acknowledged, &begun);
}

/// Checks every note of the log against what was begun and what was acknowledged.
#[track_caller]
fn audit(world: &World, acknowledged: &[(u64, String)], begun: &[String]) {
    let log = world.run(&["log", "s1", "--json"]);
    let notes = log.answers();
    let found: Vec<(u64, String)> = notes
        .iter()
        .map(|note| {
            assert_eq!((&note["kind"], &note["sealed"]), (&"note".into(), &true.into()), "{note}");
            (
                note["seq"].as_u64().expect("a number"),
                note["text"].as_str().expect("one").to_owned(),
            )
        })
        .collect();
    assert!(found.is_sorted_by(|(a, _), (b, _)| a < b), "a number stands there twice");
    let texts: BTreeSet<_> = found.iter().map(|(_, text)| text).collect();
    assert_eq!(texts.len(), found.len(), "a note stands there twice");
    assert!(texts.iter().all(|text| begun.contains(text)), "a note that nobody wrote");
    for note in acknowledged {
        assert!(found.contains(note), "{note:?} was acknowledged and is not there");
    }

    let next = found.last().expect("a note").0 + 1;
    let written = world.run(&["write", "s1", "--text", "after all"]).quietly();
    assert_eq!(written.stdout(), format!("{next}\t0\tstored\n"), "nothing stands in the way");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "after all");
    let (stored, lost) = (acknowledged.len(), begun.len() - found.len());
    let mut out = std::io::stdout();
    let _ =
        writeln!(out, "kills: {KILLS} of `write`, {stored} acknowledged, {} found", found.len());
    assert!(stored > LEAST && lost > LEAST, "{stored} stored, {lost} not: it shows nothing");
}
