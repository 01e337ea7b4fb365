//! `decide`: the tables of the threshold, the gate and the budget, as the program tells them.

use serde_json::{Value, json};

use crate::support::world::World;

#[track_caller]
fn decide(flags: &str) -> Value {
    let args: Vec<_> = ["decide", "--json"].into_iter().chain(flags.split_whitespace()).collect();
    World::new().run(&args).quietly().json()
}

#[test]
fn the_threshold_is_told_with_the_term_that_binds() {
    for (flags, tokens, binding) in [
        ("--window-tokens 200000 --output-reserve-tokens 20001", 179_999, "output_reserve"),
        ("--window-tokens 200000", 180_000, "percent"),
        ("--window-tokens 1000000", 272_000, "ceiling"),
        ("--window-tokens 1000 --output-reserve-tokens 2000", 0, "disabled"),
        ("", 272_000, "ceiling"),
        ("--ceiling-tokens 0", 0, "disabled"),
        ("--window-tokens 333333 --percent 85 --ceiling-tokens 0", 283_333, "percent"),
    ] {
        let answer = decide(flags);
        assert_eq!(answer["threshold"], json!({"tokens": tokens, "binding": binding}), "{flags}");
    }
}

#[test]
fn the_handoff_is_due_at_a_measured_threshold_and_above_a_weighed_one() {
    for (flags, reading, handoff) in [
        ("--used-tokens 9000", json!({"source": "measured", "tokens": 9_000}), true),
        ("--used-tokens 8999", json!({"source": "measured", "tokens": 8_999}), false),
        ("--pressure-bytes 9000", json!({"source": "pressure", "bytes": 9_000}), false),
        ("--pressure-bytes 9001", json!({"source": "pressure", "bytes": 9_001}), true),
        (
            "--pressure-bytes 9001 --bytes-per-token 4",
            json!({"source": "pressure", "bytes": 9_001}),
            false,
        ),
        ("", json!({"source": "pressure", "bytes": 0}), false),
    ] {
        let answer = decide(&format!("--window-tokens 10000 {flags}"));
        assert_eq!(answer["reading"], reading, "{flags}");
        assert_eq!(answer["handoff"], json!(handoff), "{flags}");
    }
}

#[test]
fn a_usage_that_cannot_be_is_unknown_and_said_to_be() {
    let world = World::new();
    for (used, why) in [
        ("0", "the report says that nothing was sent"),
        ("40001", "40001 tokens were reported for a window of 10000"),
    ] {
        let args = ["decide", "--json", "--window-tokens", "10000", "--used-tokens", used];
        let ran = world.run(&args).ends(0);
        assert_eq!(ran.json()["reading"], json!({"source": "pressure", "bytes": 0}));
        let said = format!("took the usage for unknown: {why}");
        assert_eq!(ran.said("warning")["message"], json!(said));
    }
}

#[test]
fn each_row_of_the_gate_can_be_brought_about_and_the_first_one_counts() {
    let all = "--depth 1 --session .. --generation 2 --attempted-generation 2 --calls-cap 6 \
               --overflowed --window-tokens 1000 --used-tokens 1000 --ceiling-tokens 0";
    for (without, decision, figures) in [
        ("", "worker", json!({"depth": 1})),
        ("--depth 1", "bad_session_name", json!({})),
        ("--depth 1 --session ..", "already_attempted", json!({"generation": 2})),
        (
            "--depth 1 --session .. --attempted-generation 2",
            "budget",
            json!({"remaining": 6, "reserve": 6, "cost": 1}),
        ),
        (
            "--depth 1 --session .. --attempted-generation 2 --calls-cap 6",
            "recovering",
            json!({"because": "rejected"}),
        ),
        (
            "--depth 1 --session .. --attempted-generation 2 --calls-cap 6 --overflowed",
            "no_headroom",
            json!({"effective": 1_000, "headroom": 50, "window": 1_000}),
        ),
    ] {
        let mut flags = all.replace("               ", "");
        for flag in without.split(" --").filter(|flag| !flag.is_empty()) {
            flags = flags.replace(&format!("--{} ", flag.trim_start_matches("--")), "");
        }
        let note = json!({"decision": decision, "figures": figures});
        assert_eq!(decide(&flags)["note"], note, "{flags}");
    }
    let nearly = decide("--mid-turn --window-tokens 1000 --used-tokens 950");
    let because = json!({"because": "nearly_full", "effective": 950, "limit": 950});
    assert_eq!(nearly["note"], json!({"decision": "recovering", "figures": because}));
    assert_eq!(decide("--session ''")["note"]["decision"], json!("fire"));
    let empty = World::new().run(&["decide", "--json", "--session", ""]).quietly().json();
    assert_eq!(empty["note"], json!({"decision": "no_session", "figures": {}}));
}

#[test]
fn the_budget_is_told_with_its_boundary() {
    let budget = |flags: &str| decide(flags)["budget"].take();
    assert_eq!(
        budget("--calls-cap 40 --calls-used 31 --pending-calls 1"),
        json!({"cap": 40, "used": 31, "remaining": 9, "reserve": 8, "pending": 1,
               "least_remaining_for_note": 10})
    );
    assert_eq!(budget("--calls-cap 6")["least_remaining_for_note"], Value::Null);
    let unlimited = budget("--calls-used 5");
    assert_eq!(unlimited["remaining"], Value::Null);
    assert_eq!(unlimited["least_remaining_for_note"], json!(0));
    let fired = decide("--window-tokens 1000 --used-tokens 950");
    assert_eq!(fired["note"]["figures"].get("remaining"), Some(&Value::Null), "{fired}");
    let capped = decide("--window-tokens 1000 --used-tokens 950 --calls-cap 40");
    assert_eq!(capped["note"]["figures"]["remaining"], json!(40), "{capped}");
}

#[test]
fn a_named_session_answers_from_its_log() {
    let world = World::new();
    world.put(
        "s1",
        "{\"v\":1,\"session\":\"s1\",\"gen\":4,\"created_at\":1,\"seq\":1,\"kind\":\"attempt\"}\n",
    );
    let note = |args: &[&str]| {
        let args = [&["decide", "--json", "--session", "s1"], args].concat();
        world.run(&args).quietly().json()["note"].take()
    };
    let refused = json!({"decision": "already_attempted", "figures": {"generation": 4}});
    assert_eq!(note(&[]), refused);
    assert_eq!(note(&["--generation", "5"])["decision"], json!("fire"));
    let log = std::fs::read_to_string(world.log("s1")).expect("a log");
    assert_eq!(log.lines().count(), 1, "nothing was written");
}

#[test]
fn without_a_session_it_is_as_for_one_that_has_no_log_yet() {
    for flags in [
        "",
        "--used-tokens 95000 --window-tokens 100000",
        "--used-tokens 95000 --window-tokens 100000 --calls-cap 40 --calls-used 31 --pending-calls 1",
        "--used-tokens 95000 --window-tokens 100000 --depth 1",
        "--pressure-bytes 300000 --overflowed --mid-turn",
        "--gen 3 --attempted-generation 3 --used-tokens 300000",
    ] {
        assert_eq!(decide(flags), decide(&format!("{flags} --session new")), "{flags}");
    }
}

#[test]
fn the_rows_tell_every_answer_with_its_figures() {
    let args = "decide --window-tokens 200000 --used-tokens 181000 --output-reserve-tokens 20000 \
                --calls-cap 40 --calls-used 32";
    let args: Vec<_> = args.split_whitespace().collect();
    let expected = "\
threshold\t180000\tpercent binds: percent 180000, ceiling 272000, window less output reserve 180000
reading\t181000\ttokens, measured
handoff\tyes\t181000 tokens, reached 180000
gate 1 disabled\tpasses\t
gate 2 worker\tpasses\tdepth 0
gate 3 session\tpasses\t
gate 4 attempt\tpasses\tgeneration 0, no attempt on record
gate 5 budget\trefuses\t8 calls are left and 8 are held back: 1 does not fit
gate 6 recovering\tpasses\tat the end of a turn
gate 7 headroom\tpasses\t181000 tokens and 2000 for the note fit into 200000
note\tbudget\t8 calls are left and 8 are held back: 1 does not fit
budget\t8 left\tof 40 calls 32 are used; 8 held back, 0 pending: a note needs 9 left
";
    assert_eq!(World::new().run(&args).quietly().stdout(), expected);
}

#[test]
fn each_generation_has_its_own_attempt_also_one_that_is_over() {
    let world = World::new();
    let attempt = |seq: u64, generation: u64| {
        format!(
            "{{\"v\":1,\"session\":\"s1\",\"gen\":{generation},\"created_at\":1,\"seq\":{seq},\
             \"kind\":\"attempt\"}}\n"
        )
    };
    world.put("s1", [attempt(1, 2), attempt(2, 3)].concat());
    for (generation, decision) in
        [("1", "fire"), ("2", "already_attempted"), ("3", "already_attempted"), ("4", "fire")]
    {
        let args = ["decide", "--json", "--session", "s1", "--generation", generation];
        let answer = world.run(&args).quietly().json();
        assert_eq!(answer["note"]["decision"], json!(decision), "generation {generation}");
    }
}
