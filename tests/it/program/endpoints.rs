//! A model's endpoint is asked once, within bounds: whatever it does, the call ends in time, the
//! attempt is on record, and the key shows nowhere.

#[cfg(feature = "ask")]
mod calls;
#[cfg(feature = "ask")]
mod forms;
#[cfg(feature = "ask")]
mod histories;
#[cfg(feature = "ask")]
mod keys;
#[cfg(feature = "ask")]
pub(super) mod loopback;

#[cfg(not(feature = "ask"))]
use crate::support::world::{Ran, World};

#[cfg(not(feature = "ask"))]
#[test]
fn a_build_without_endpoints_says_how_to_get_one_with_them() {
    let world = World::new();
    let ran = world.run(&["ask", "--transcript", "t", "--endpoint", "http://x/messages"]).ends(2);
    assert!(ran.stderr().contains("this build has no endpoints"), "{ran}");
    assert!(ran.stderr().contains("--features ask"), "{ran}");
    let url = "https://user:sk-SECRET@api.example/messages?key=sk-SECRET";
    let ran = world.run(&["ask", "--transcript", "t", "--endpoint", url]).ends(2);
    assert!(!ran.stderr().contains("sk-SECRET"), "{ran}");
    let file = |name, text| std::fs::write(world.root().join(name), text).expect("a file");
    file("t", "{\"role\":\"user\",\"content\":\"mend it\"}\n");
    file("s", "You are an agent.");
    let rollover = ["rollover", "--transcript", "t", "--system", "s"];
    let flag = world.run(&[&rollover[..], &["--note-from", "endpoint:http://x"]].concat()).ends(2);
    let mut command = world.command(&rollover);
    let set = Ran::of(command.env("GRAFF_NOTE_FROM", "endpoint:http://x")).ends(2);
    for ran in [flag, set] {
        assert_eq!(ran.stdout(), "You are an agent.", "the prompt goes out: {ran}");
        assert!(ran.stderr().contains("--features ask"), "{ran}");
    }
}
