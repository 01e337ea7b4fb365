//! A setting and its flag have one default and the same limits, in every command.

use super::{about_to_roll_over, command, put};
use crate::support::world::{Ran, World};

/// What the help of a command says of a flag.
fn of_flag(help: &str, flag: &str) -> Option<String> {
    let (_, behind) = help.split_once(&format!(" --{flag} <"))?;
    let words = behind.split("\n      --").next()?.split_whitespace();
    Some(words.collect::<Vec<_>>().join(" "))
}

#[test]
fn the_default_that_is_shown_is_that_of_the_flag_in_every_command() {
    let world = World::new();
    let shown = world.run(&["config", "show"]).quietly();
    let rows = shown.stdout().lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let mut compared = 0;
    for command in ["rollover", "decide", "ask", "write", "splice", "list", "log"] {
        let help = world.run(&[command, "--help"]).quietly();
        for row in rows.clone() {
            let Some(said) = of_flag(help.stdout(), row[0]) else { continue };
            let default = said.split_once("[default: ").map(|(_, rest)| rest.split(']').next());
            assert_eq!(default.flatten().unwrap_or("-"), row[1], "{command} --{}", row[0]);
            compared += 1;
        }
    }
    // Without endpoints `rollover` has no --model.
    let fewer = usize::from(cfg!(not(feature = "ask")));
    assert_eq!(compared, 33 - fewer, "so many flags of the commands have a setting");
}

#[test]
fn a_flag_and_its_setting_have_the_same_limits() {
    let (world, rollover) = about_to_roll_over();
    put(
        &world,
        "t.jsonl",
        &format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(2_000)),
    );
    let due = [&rollover[..], &["--note-from", "command:true"]].concat();
    for (name, good, bad) in [
        ("percent", ["1", "100"], ["0", "101"]),
        ("ceiling-tokens", ["0", "1000"], ["1", "999"]),
        ("bytes-per-token", ["1", "2"], ["0", "-1"]),
        ("cap-bytes", ["16", "65536"], ["15", "65537"]),
        ("note-timeout-seconds", ["1", "86400"], ["0", "86401"]),
        ("calls-cap", ["0", "18446744073709551615"], ["-1", "18446744073709551616"]),
    ] {
        let variable = format!("GRAFF_{}", name.replace('-', "_").to_uppercase());
        for (value, is_good) in
            good.map(|it| (it, true)).into_iter().chain(bad.map(|it| (it, false)))
        {
            let ceiling = if name == "ceiling-tokens" { "0" } else { "1000" };
            let mut set = command(&world, &due);
            set.env("GRAFF_CEILING_TOKENS", ceiling).env(&variable, value);
            let ran = Ran::of(&mut set).ends(0);
            assert_eq!(!ran.stderr().contains("could not use GRAFF_"), is_good, "{value}: {ran}");
            let flag = format!("--{name}={value}");
            let mut flagged = command(&world, &[&due[..], &[&flag]].concat());
            Ran::of(flagged.env("GRAFF_CEILING_TOKENS", ceiling)).ends(if is_good { 0 } else { 2 });
        }
    }
}
