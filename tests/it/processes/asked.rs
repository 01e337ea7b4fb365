//! A process that dies between the attempt's record and the model's reply has used the attempt.

use graff_notes::{
    log::{Body, Draft, Line},
    units::Generation,
};

use super::{Actor, Home, Role, command, s1};
use crate::support::notes::now;

/// What a process that wants a note comes to.
#[track_caller]
fn wants_a_note(home: &Home) -> Vec<String> {
    Actor::start(command(Role::Ask, &home.root, "")).rest()
}

/// How many attempts are on record.
#[track_caller]
fn attempts(home: &Home) -> u64 {
    let mut found = 0;
    let replayed = home.store.replay(&s1(), &mut |entry| {
        found +=
            u64::from(matches!(entry.line, Line::Record(record) if record.body == Body::Attempt));
    });
    replayed.expect("a readable log");
    found
}

#[test]
fn a_process_that_is_killed_while_it_awaits_the_reply_has_used_its_generations_attempt() {
    let home = Home::new();
    let mut victim = Actor::start(command(Role::Ask, &home.root, ""));
    victim.expect("asked");
    victim.kill();
    assert_eq!(wants_a_note(&home), ["already_attempted"]);
    assert_eq!(wants_a_note(&home), ["already_attempted"], "whoever comes");
    assert_eq!(attempts(&home), 1);
    let newest = home.store.newest(&s1()).expect("a log");
    assert_eq!((newest.note, newest.doubt), (None, None));
}

#[test]
fn the_next_generation_has_its_own_attempt_whoever_died_before() {
    let home = Home::new();
    for generation in 1..4 {
        let mut victim = Actor::start(command(Role::Ask, &home.root, ""));
        victim.expect("asked");
        victim.kill();
        assert_eq!(wants_a_note(&home), ["already_attempted"]);
        let (generation, created_at) = (Generation::new(generation), now());
        let rolled = home.store.append(&s1(), &Draft::Rollover { generation, created_at });
        let _ = rolled.expect("on record");
    }
    assert_eq!(attempts(&home), 3);
}

#[test]
fn of_eight_processes_at_once_one_asks_also_where_it_dies_of_it() {
    let home = Home::new();
    let mut racers: Vec<_> =
        (0..8).map(|_| Actor::start(command(Role::Ask, &home.root, ""))).collect();
    let said: Vec<_> = racers.iter_mut().map(|racer| racer.next().expect("a word")).collect();
    let asking = said.iter().filter(|said| *said == "asked").count();
    assert_eq!(asking, 1, "{said:?}");
    racers.iter_mut().for_each(Actor::kill);
    assert_eq!(wants_a_note(&home), ["already_attempted"]);
    assert_eq!(attempts(&home), 1);
}
