//! What is found of many sessions at once comes in their order, each beside its own name.

use crate::support::world::World;

/// More than wait for one another at once, on as many threads as there may be.
const SESSIONS: usize = 300;

/// How many notes a session has; no two in a row have as many.
fn notes(number: usize) -> usize {
    1 + number % 7
}

#[test]
fn each_row_stands_in_its_place_and_tells_of_its_own_log_however_long_the_others_take() {
    let world = World::new();
    let names: Vec<_> = (0..SESSIONS).map(|number| format!("s{number:03}")).collect();
    for (number, name) in names.iter().enumerate() {
        // Each thirteenth takes much longer than those beside it, in turn on each thread.
        let bytes = if number % 13 == 0 { 100_000 } else { 10 };
        let line = format!(
            "{{\"v\":1,\"session\":\"{name}\",\"gen\":0,\"created_at\":1,\"text\":\"{}\"}}\n",
            "x".repeat(bytes)
        );
        world.put(name, line.repeat(notes(number)));
    }
    let rows = world.run(&["list", "--json"]).quietly().answers();
    let told: Vec<_> =
        rows.iter().map(|row| (row["session"].as_str(), row["notes"].as_u64())).collect();
    let expected: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(number, name)| (Some(name.as_str()), u64::try_from(notes(number)).ok()))
        .collect();
    assert_eq!(told, expected);
}
