//! Long work shows how far it has come, at a terminal, and never spends its time on showing that.

use std::{
    fs::{self, File},
    io::Write,
    time::{Duration, Instant},
};

use crate::support::world::World;

/// The sessions behind the first one, which takes long enough for the progress to be shown.
const SESSIONS: usize = 1_000;
/// The records of the last one.
const RECORDS: usize = 3_000;

/// How often it may be drawn: so often at first, and so often a second.
const DRAWN_AT_MOST: [u64; 2] = [50, 20];

/// Work that takes so long is shown to a person.
const LONGER_THAN_SILENCE: Duration = Duration::from_secs(2);

/// Work that takes so long shows its progress.
const LONG: Duration = Duration::from_secs(20);

fn record(session: &str, seq: usize) -> String {
    let at = if session == "a" { 0 } else { 1_000 }; // the first ones are of no time
    format!(
        "{{\"v\":1,\"session\":\"{session}\",\"text\":\"note\",\"created_at\":{at},\"seq\":{seq}}}\n"
    )
}

fn world() -> World {
    let world = World::new();
    world.put("a", "");
    for at in 0..SESSIONS {
        let session = format!("b{at:04}");
        world.put(&session, record(&session, 1));
    }
    world.put("c", (1..=RECORDS).map(|seq| record("c", seq)).collect::<String>());
    world
}

/// Lets the first session take twice as long as with its `records`.
fn grow(world: &World, records: &mut usize) {
    let more = 1 + *records..=10_000 + 2 * *records;
    *records = *more.end();
    let mut log = File::options().append(true).open(world.log("a")).expect("a log");
    let more: String = more.map(|seq| record("a", seq)).collect();
    log.write_all(more.as_bytes()).expect("it grows");
}

#[test]
fn it_is_drawn_a_few_times_a_second_however_much_there_is_to_go_through() {
    let (world, mut records) = (world(), 0);
    for (args, what, status) in [
        (
            &["export", "-o", "out.md", "--force", "--since", "1970-01-01T00:00:01Z"][..],
            "exporting ",
            0,
        ),
        (&["export", "--since", "1970-01-01T00:00:01Z"], "exporting ", 0),
        (&["verify"], "checking ", 0),
        (&["list"], "looking ", 0),
        (&["search", "nowhere"], "searching ", 3),
    ] {
        loop {
            let since = Instant::now();
            let ran = world.at_terminal(80, "", args).ends(status);
            let took = since.elapsed();
            let drawn = ran.stdout().matches(what).count() as u64;
            let [first, each_second] = DRAWN_AT_MOST;
            let most = first + each_second * took.as_secs();
            assert!(drawn <= most, "{args:?}: drawn {drawn} times of {most}");
            if drawn > 0 {
                break;
            }
            assert!(took < LONG, "{args:?}: not drawn in {took:?}");
            grow(&world, &mut records);
        }
    }
}

#[test]
fn a_pager_has_the_terminal_for_itself_once_it_has_begun() {
    let (world, mut records) = (world(), 0);
    loop {
        let mut command = world.command(&["verify"]);
        command.env("GRAFF_PAGER", "sed 's/^/paged: /'");
        let since = Instant::now();
        let ran = World::typing(80, "", command).ends(0);
        let (before, paged) = ran.stdout().split_once("paged: ").expect("a pager");
        assert!(!paged.contains("checking "), "{ran}");
        if before.contains("checking ") {
            break;
        }
        assert!(since.elapsed() < LONG, "not drawn in {:?}", since.elapsed());
        grow(&world, &mut records);
    }
}

/// What a program or a file has of stderr is trouble, and there is none: however long it takes.
#[test]
fn it_is_for_a_person_at_a_terminal_alone() {
    let (world, mut records) = (world(), 0);
    loop {
        let since = Instant::now();
        let piped = world.run(&["verify"]).quietly();
        let took = since.elapsed();
        assert!(!piped.stdout().contains("checking "), "{piped}");
        if took > LONGER_THAN_SILENCE {
            break;
        }
        assert!(took < LONG, "the logs are too few: {took:?}");
        grow(&world, &mut records);
    }
    assert!(
        !world.at_terminal(80, "", &["verify", "--json"]).ends(0).stdout().contains("checking ")
    );
}

#[test]
fn an_import_of_many_sessions_shows_it_too() {
    let world = World::new();
    for store in 0.. {
        let sessions = SESSIONS << store;
        let entry = |at| {
            format!(
                "{{\"export\":1,\"session\":\"s{at}\",\"kind\":\"note\",\"seq\":1,\"text\":\"a\"}}\n"
            )
        };
        let document = world.root().join("all.jsonl");
        fs::write(&document, (0..sessions).map(entry).collect::<String>()).expect("a document");
        let root = world.root().join(format!("store-{store}"));
        fs::create_dir(&root).expect("a root");
        let since = Instant::now();
        let args = ["import", document.as_str(), "--root", root.as_str()];
        let ran = world.at_terminal(80, "", &args).ends(0);
        if ran.stdout().contains("importing ") {
            return;
        }
        assert!(since.elapsed() < LONG, "not drawn in {:?}", since.elapsed());
    }
}
