//! Steers at every moment of a turn: 1,000 turns, drawn from a seed that is printed.

use std::sync::{Arc, Mutex};

use graff_notes::turn::SteerRejected;
use serde_json::{Value, json};

use super::world::{Body, World, body, calls, said, says, summary, user_texts, what_for};

/// So many agents, each with so many turns.
const WORLDS: u64 = 50;
const TURNS: usize = 20;

/// Numbers from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// A steer, what was asked for when it was sent, and what was said to it.
struct Sent {
    text: String,
    during: &'static str,
    /// How many requests there were before this one.
    request: usize,
    said: Result<(), SteerRejected>,
}

/// What the model answers to a request of the turn.
fn turns_answer(dice: &mut Dice, cancel: impl FnOnce()) -> Body {
    match dice.roll(12) {
        0 => (500, json!({ "error": { "message": "no" } })),
        1 => {
            cancel();
            (200, said("too late", 9_900))
        }
        2..=4 => body(calls("read_file", &json!({ "path": "none" }), 8_000)),
        5..=7 => (200, said("done", 9_000)),
        8 => (200, said("", None)),
        _ => (200, said("done", 100)),
    }
}

/// An agent whose user steers while each of its calls is awaited, and all that the user sent.
fn world(mut dice: Dice) -> (World, Arc<Mutex<Vec<Sent>>>) {
    // Without a session no note is asked for, and nothing is synced to disk: four of five.
    let session = if dice.roll(5) == 0 { "s1" } else { "" };
    let world = World::with(10_000, [], &["--session", session]);
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (steering, canceller) = (world.agent.steering(), world.agent.canceller());
    let (log, mut request) = (Arc::clone(&sent), 0);
    world.server.improvise(move |asked: &Value| {
        let during = what_for(asked);
        for number in 0..dice.roll(3) {
            let text = format!("steer {request}/{number}");
            let said = steering.send(text.as_str());
            log.lock().expect("whole").push(Sent { text, during, request, said });
        }
        request += 1;
        match during {
            "note" => (200, said("none", None)),
            "summary" if dice.roll(4) == 0 => (500, json!({ "error": { "message": "no" } })),
            "summary" => (200, said(&summary(), None)),
            _ => turns_answer(&mut dice, || canceller.cancel()),
        }
    });
    (world, sent)
}

#[test]
#[expect(clippy::print_stdout, reason = "whoever sees it fail needs the seed")]
fn a_thousand_turns_show_every_steer_that_was_accepted_and_none_that_was_not() {
    let seed = std::env::var("LOOP_SEED").unwrap_or_else(|_| "20261130".to_owned());
    let seed: u64 = seed.parse().expect("LOOP_SEED is a number");
    println!("seed {seed} (set LOOP_SEED for another)");
    let (mut accepted, mut rejected) = (0, 0);
    for number in 0..WORLDS {
        let (mut world, sent) = world(Dice(seed.wrapping_add(number << 32)));
        let mut begins = Vec::new();
        for turn in 0..TURNS {
            begins.push(world.server.count());
            let _ended = world.turn(&format!("prompt {turn}"));
        }
        begins.push(world.server.count());
        world.server.then([says("done", 10)]);
        let _ended = world.turn("the last one");
        let requests = world.server.requests();
        for Sent { text, during, request, said } in sent.lock().expect("whole").iter() {
            let holds = |request: &Value| user_texts(request).contains(&text.as_str());
            let shown = requests.iter().position(holds);
            if *during != "turn" {
                assert_eq!(*said, Err(SteerRejected::NoActiveRun), "{text}, during the {during}");
                assert_eq!(shown, None, "{text} was rejected");
                rejected += 1;
                continue;
            }
            assert_eq!(*said, Ok(()), "{text}, while the turn runs");
            let next = begins.iter().find(|begin| *begin > request).expect("a later turn");
            let in_time = shown.is_some_and(|shown| shown > *request && shown <= *next);
            assert!(
                in_time,
                "seed {seed}/{number}: {text}, sent at {request}: {shown:?}, {begins:?}"
            );
            accepted += 1;
        }
    }
    assert!(accepted > 1_000 && rejected > 100, "{accepted} and {rejected}");
}
