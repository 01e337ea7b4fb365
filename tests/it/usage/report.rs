//! A provider's report: what it counts, and when it is none.

use super::*;

#[test]
fn counts_cached_tokens_once_whichever_shape_it_has() {
    for (usage, expected) in [
        // Anthropic: the cache stands beside the input.
        (
            json!({"input_tokens": 3, "cache_read_input_tokens": 185_000,
                "cache_creation_input_tokens": 1_093, "output_tokens": 400}),
            186_096,
        ),
        (json!({"input_tokens": 9_000, "output_tokens": 12}), 9_000),
        (json!({"input_tokens": 9_000}), 9_000),
        (json!({"input_tokens": 1, "cache_read_input_tokens": null}), 1),
        (
            json!({"input_tokens": 5, "output_tokens": 1, "service_tier": "standard",
                "cache_creation": {"ephemeral_5m_input_tokens": 7}}),
            5,
        ),
        (json!({"cache_read_input_tokens": 8, "output_tokens": 1}), 8),
        (json!({"input_tokens": 3, "cache_read_input_tokens": 50, "total_tokens": 53}), 53),
        // OpenAI: the cache stands inside the prompt.
        (
            json!({"prompt_tokens": 184_704, "completion_tokens": 49, "total_tokens": 184_753,
                "prompt_tokens_details": {"cached_tokens": 183_936}}),
            184_704,
        ),
        (json!({"prompt_tokens": 9_000}), 9_000),
        (json!({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 1_105}), 1_100),
        (json!({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 0}), 100),
        (json!({"completion_tokens": 5, "total_tokens": 105}), 100),
        // OpenAI's newer interface borrows the other's words, but has a total.
        (
            json!({"input_tokens": 42_000, "input_tokens_details": {"cached_tokens": 41_000},
                "output_tokens": 300, "total_tokens": 42_300}),
            42_000,
        ),
        (
            json!({"input_tokens": 42_000, "cached_input_tokens": 41_000, "output_tokens": 300,
                "reasoning_output_tokens": 200, "total_tokens": 42_300}),
            42_000,
        ),
    ] {
        assert_eq!(input(&usage, WINDOW), Ok(tokens(expected)), "{usage}");
    }
}

#[test]
fn that_is_none_leaves_the_reading_unknown() {
    for usage in [
        Value::Null,
        json!({}),
        json!([]),
        json!("9000"),
        json!(9_000),
        json!({"tokens": 9_000}),
        json!({"output_tokens": 31}),
        json!({"usage": {"input_tokens": 9_000}}),
    ] {
        assert_eq!(input(&usage, WINDOW), Err(Unusable::NotReported), "{usage}");
    }
}

#[test]
fn with_one_damaged_figure_is_damaged_as_a_whole() {
    let anthropic =
        ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
    let openai = ["prompt_tokens", "completion_tokens", "total_tokens"];
    let newer = ["input_tokens", "output_tokens", "total_tokens"];
    for keys in [&anthropic[..], &openai, &newer] {
        for field in keys {
            for damage in [
                json!(-1),
                json!(1.5),
                json!(1e300),
                json!("9000"),
                json!(true),
                json!([9_000]),
                json!({}),
                serde_json::from_str("18446744073709551616").expect("a number"),
            ] {
                let mut usage: Value = keys.iter().map(|key| (key.to_string(), json!(7))).collect();
                usage[field] = damage;
                assert_eq!(input(&usage, WINDOW), Err(Unusable::Malformed { field }), "{usage}");
            }
        }
    }
}

#[test]
fn of_nothing_sent_is_no_measurement() {
    for usage in [
        json!({"input_tokens": 0, "cache_read_input_tokens": 0,
               "cache_creation_input_tokens": 0, "output_tokens": 0}),
        json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
        json!({"input_tokens": 0, "output_tokens": 31}),
    ] {
        assert_eq!(input(&usage, WINDOW), Err(Unusable::Zero), "{usage}");
    }
}

#[test]
fn of_more_than_four_windows_is_no_measurement() {
    let window = tokens(128_000);
    let reported = tokens(512_001);
    assert_eq!(report_of(512_000).input(window), Ok(tokens(512_000)));
    assert_eq!(report_of(512_001).input(window), Err(Unusable::Implausible { reported, window }));
    let anything = report_of(u64::MAX).input(Tokens::ZERO);
    assert_eq!(anything, Ok(Tokens::MAX), "an unknown window rules nothing out");
    let largest = report_of(u64::MAX).input(Tokens::MAX);
    assert_eq!(largest, Ok(Tokens::MAX), "four of the largest windows cannot wrap");
}

#[test]
fn whose_sum_cannot_be_counted_is_no_measurement() {
    let (max, one) = (Tokens::MAX, tokens(1));
    for (input, cache_read, cache_creation) in
        [(max, one, Tokens::ZERO), (one, max, Tokens::ZERO), (one, Tokens::ZERO, max)]
    {
        let report = Report::Anthropic { input, cache_read, cache_creation };
        assert_eq!(report.input(Tokens::ZERO), Err(Unusable::Overflow));
    }
}

#[test]
fn says_in_words_why_it_cannot_be_used() {
    let (reported, window) = (tokens(900), tokens(100));
    for (why, words) in [
        (Unusable::NotReported, "the provider reported no usage"),
        (Unusable::Malformed { field: "total_tokens" }, "total_tokens is no count of tokens"),
        (Unusable::Overflow, "the figures add up to more than can be counted"),
        (Unusable::Zero, "the report says that nothing was sent"),
        (
            Unusable::Implausible { reported, window },
            "900 tokens were reported for a window of 100",
        ),
    ] {
        assert_eq!(why.to_string(), words);
    }
}
