//! The figure that is read is that of the last request, or none: never that of an earlier one.
//!
//! Shown on the prefixes of the real sessions, cut at each byte of the shorter ones, against a
//! second reading of the same lines that knows only where a response stands and what voids it.

use graff_notes::{
    host::transcript::{Transcript, TranscriptReader},
    units::{Bytes, Tokens},
    usage::{Reading, Unusable},
};
use serde_json::{Value, json};

use super::{SESSIONS, fixture, in_lines, input, read};

/// What a line does to the figure of the last response.
enum Effect {
    Reports(Option<u64>),
    Nothing,
}

fn effect(record: &Value, awaited: &mut bool) -> Effect {
    let sum = |usage: &Value, keys: &[&str]| {
        keys.iter().map(|key| usage[*key].as_u64()).sum::<Option<u64>>()
    };
    let kind = record["type"].as_str().unwrap_or_default();
    let payload = &record["payload"];
    match (kind, payload["type"].as_str().unwrap_or_default()) {
        ("assistant", _) => {
            let keys = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
            Effect::Reports(sum(&record["message"]["usage"], &keys))
        }
        ("system", _) if record["subtype"] == "compact_boundary" => Effect::Reports(None),
        ("response_item", "reasoning" | "function_call" | "custom_tool_call") => {
            *awaited = true;
            Effect::Reports(None)
        }
        ("response_item", "message") if payload["role"] == "assistant" => {
            *awaited = record["metadata"]["compaction_output"] != true;
            Effect::Reports(None)
        }
        ("compacted", _) => {
            *awaited = false;
            Effect::Reports(None)
        }
        ("event_msg", "token_count") if *awaited => {
            *awaited = false;
            Effect::Reports(sum(&payload["info"]["last_token_usage"], &["input_tokens"]))
        }
        ("gemini", _) => Effect::Reports(record["tokens"]["input"].as_u64()),
        _ if record["$set"]["messages"].to_string().contains("<state_snapshot>") => {
            // In these sessions every list with a summary but the resumed one is a compaction.
            Effect::Reports(None)
        }
        _ if record["role"] == "assistant" => {
            Effect::Reports(sum(&record["usage"], &["prompt_tokens"]))
        }
        _ => Effect::Nothing,
    }
}

#[test]
fn every_prefix_reports_its_last_response_or_nothing() {
    for name in SESSIONS.into_iter().filter(|name| *name != "gemini-resumed.jsonl") {
        let mut reader = TranscriptReader::new();
        let (mut awaited, mut last) = (false, None);
        let whole = fixture(name);
        let step = if whole.len() < 20_000 { 1 } else { 61 };
        for (number, line) in whole.lines().enumerate() {
            for at in 0..line.len() {
                if at % step != 0 && at + 1 != line.len() {
                    reader.push(&line.as_bytes()[at..=at]);
                    continue;
                }
                let told = input(&reader.clone().finish());
                // A torn line may be a later response; before its first byte there is none.
                let expected = if at == 0 { last } else { None };
                assert_eq!(told, expected, "{name}: line {number} cut at byte {at}");
                reader.push(&line.as_bytes()[at..=at]);
            }
            if let Effect::Reports(figure) =
                effect(&serde_json::from_str(line).unwrap(), &mut awaited)
            {
                last = figure;
            }
            assert_eq!(input(&reader.clone().finish()), last, "{name}: line {number}, no line end");
            reader.push(b"\n");
        }
        assert_eq!(input(&reader.finish()), last, "{name}");
    }
}

/// A response of Claude Code that reports `input`.
fn claude(input: u64) -> Value {
    json!({"type": "assistant", "sessionId": "s", "message": {
        "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": input}}})
}

fn of(records: &[Value]) -> Transcript {
    read(in_lines(records))
}

#[test]
fn the_blocks_of_one_answer_are_counted_once() {
    let block = claude(700);
    assert_eq!(input(&of(&[block.clone(), block.clone(), block])), Some(700));
}

#[test]
fn a_subagents_responses_are_those_of_another_history() {
    let mut subagent = claude(90_000);
    subagent["isSidechain"] = json!(true);
    let transcript = of(&[claude(700), subagent.clone()]);
    assert_eq!(input(&transcript), Some(700));
    assert_eq!(transcript.pressure, Bytes::new(4));
    assert_eq!(input(&of(&[subagent])), None);
}

#[test]
fn a_copy_of_a_request_is_no_response() {
    let copy = json!({"type": "api-request-blob", "sessionId": "s", "message": {
        "role": "assistant", "content": "x", "usage": {"input_tokens": 9}}});
    assert_eq!(input(&of(&[claude(700), copy])), Some(700));
}

#[test]
fn a_response_without_usage_voids_the_figure_before_it() {
    let silent = json!({"type": "assistant", "sessionId": "s", "message": {"content": []}});
    assert_eq!(of(&[claude(700), silent]).usage, Err(Unusable::NotReported));
}

#[test]
fn a_request_that_was_refused_voids_the_figure_but_what_the_agent_says_itself_does_not() {
    let mut refused = claude(0);
    refused["isApiErrorMessage"] = json!(true);
    refused["message"]["model"] = json!("<synthetic>");
    assert_eq!(of(&[claude(700), refused]).usage, Err(Unusable::NotReported));
    let mut said = claude(0);
    said["message"]["model"] = json!("<synthetic>");
    assert_eq!(input(&of(&[claude(700), said])), Some(700));
}

#[test]
fn a_damaged_figure_is_reported_as_damaged() {
    let mut damaged = claude(0);
    damaged["message"]["usage"] = json!({"input_tokens": -1});
    assert_eq!(
        of(&[claude(700), damaged]).usage,
        Err(Unusable::Malformed { field: "input_tokens" })
    );
}

#[test]
fn a_compaction_voids_the_figure_and_starts_the_weight_anew() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "sessionId": "s"});
    let transcript = of(&[claude(700), claude(800), boundary]);
    assert_eq!(transcript.usage, Err(Unusable::NotReported));
    assert_eq!((transcript.compactions, transcript.pressure), (1, Bytes::ZERO));
}

#[test]
fn codex_totals_over_the_thread_are_never_the_figure() {
    let item =
        json!({"type": "response_item", "payload": {"type": "message", "role": "assistant"}});
    let count = json!({"type": "event_msg", "payload": {"type": "token_count", "info": {
        "total_token_usage": {"input_tokens": 900_000, "total_tokens": 900_100},
        "last_token_usage": {"input_tokens": 5_000, "output_tokens": 10, "total_tokens": 5_010},
        "model_context_window": 190_000}}});
    let transcript = of(&[item.clone(), count]);
    assert_eq!((input(&transcript), transcript.window), (Some(5_000), Some(Tokens::new(190_000))));

    let nothing = json!({"type": "event_msg", "payload": {"type": "token_count", "info": null}});
    assert_eq!(of(&[item, nothing]).usage, Err(Unusable::NotReported));
}

#[test]
fn what_codex_counts_around_a_compaction_is_no_response_of_the_turn() {
    let whole = fixture("codex-compacted.jsonl");
    let counts: Vec<usize> = (0..)
        .zip(whole.lines())
        .filter(|(_, line)| line.contains("\"token_count\""))
        .map(|(number, _)| number)
        .collect();
    let upto = |number| read(whole.split_inclusive('\n').take(number + 1).collect::<String>());
    let figures: Vec<_> = counts.iter().map(|&number| input(&upto(number))).collect();
    // The full one twice, the summary's, the estimate of what is left, and the last response's.
    let last = &figures[figures.len() - 5..];
    assert_eq!(last, [Some(150_000), Some(150_000), None, None, Some(14_000)]);
}

#[test]
fn the_last_figure_before_a_compaction_that_codex_writes_once_more_is_not_believed() {
    let whole = fixture("codex-compacted-remotely.jsonl");
    let before_the_answer =
        whole.split_inclusive('\n').take_while(|line| !line.contains("fake reply 3"));
    let transcript = read(before_the_answer.collect::<String>());
    assert_eq!((transcript.compactions, input(&transcript)), (1, None));
}

#[test]
fn resuming_gemini_is_no_compaction_and_leaves_the_figure() {
    let whole = fixture("gemini-resumed.jsonl");
    let figures: Vec<(u64, Option<u64>)> = (0..=whole.lines().count())
        .map(|count| {
            let transcript = read(whole.split_inclusive('\n').take(count).collect::<String>());
            (transcript.compactions, input(&transcript))
        })
        .collect();
    assert!(figures.is_sorted_by_key(|(compactions, _)| *compactions), "{figures:?}");
    assert_eq!(figures.iter().map(|(compactions, _)| *compactions).max(), Some(1));
    let voided = figures.windows(2).filter(|pair| pair[0].1.is_some() && pair[1].1.is_none());
    assert_eq!(voided.count(), 1, "only the compaction voids: {figures:?}");
}

#[test]
fn the_reading_is_the_report_where_a_model_of_this_window_can_have_made_it_else_the_weight() {
    let transcript = of(&[claude(700)]);
    let measured = Reading::Measured { tokens: Tokens::new(700) };
    assert_eq!(transcript.reading(Tokens::ZERO), measured);
    assert_eq!(transcript.reading(Tokens::new(200)), measured);
    let weighed = Reading::Pressure { bytes: Bytes::new(4) };
    assert_eq!(transcript.reading(Tokens::new(100)), weighed, "more than four windows");
    assert_eq!(of(&[]).reading(Tokens::ZERO), Reading::Pressure { bytes: Bytes::ZERO });
}
