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
mod loopback;

#[cfg(not(feature = "ask"))]
#[test]
fn a_build_without_endpoints_says_how_to_get_one_with_them() {
    let world = crate::support::world::World::new();
    let ran = world.run(&["ask", "--transcript", "t", "--endpoint", "http://x/messages"]).ends(2);
    assert!(ran.stderr().contains("this build has no endpoints"), "{ran}");
    assert!(ran.stderr().contains("--features ask"), "{ran}");
    let args =
        ["rollover", "--transcript", "t", "--system", "s", "--note-from", "endpoint:http://x"];
    assert!(world.run(&args).stderr().contains("--features ask"));
}
