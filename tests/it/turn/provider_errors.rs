//! Which refusals are about the model's window: those that say so with status 400, and no others.

use graff_notes::{
    turn::{Figures, ProviderError, classify},
    units::Tokens,
};
use serde_json::{Value, json};

#[track_caller]
fn figures_of(body: &Value) -> Figures {
    let body = body.to_string();
    match classify(400, &body) {
        ProviderError::ContextWindow(overflow) => {
            assert_eq!(overflow.body(), body, "the provider's own words");
            overflow.figures()
        }
        other => panic!("{body} is {other:?}"),
    }
}

fn figures(asked: impl Into<Option<u64>>, limit: impl Into<Option<u64>>) -> Figures {
    Figures { asked: asked.into().map(Tokens::new), limit: limit.into().map(Tokens::new) }
}

fn anthropic(message: &str) -> Value {
    let error = json!({ "type": "invalid_request_error", "message": message });
    json!({ "type": "error", "error": error, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy" })
}

fn openai(code: Option<&str>, message: &str) -> Value {
    json!({ "error": {
        "message": message, "type": "invalid_request_error", "param": "messages", "code": code,
    } })
}

fn gemini(message: &str) -> Value {
    json!({ "error": { "code": 400, "message": message, "status": "INVALID_ARGUMENT" } })
}

/// A gateway's error around a provider's own, which it hands on as text.
fn openrouter(raw: &Value) -> Value {
    json!({ "error": { "message": "Provider returned error", "code": 400, "metadata": {
        "raw": raw.to_string(), "provider_name": "Some",
    } } })
}

#[test]
fn anthropics_refusals_for_size_are_read() {
    let long = "prompt is too long: 208310 tokens > 200000 maximum";
    assert_eq!(figures_of(&anthropic(long)), figures(208_310, 200_000));
    let with_output = "input length and `max_tokens` exceed context limit: 199759 + 20000 > \
        200000, decrease input length or `max_tokens` and try again";
    assert_eq!(figures_of(&anthropic(with_output)), figures(219_759, 200_000));
}

#[test]
fn openais_refusals_for_size_are_read() {
    let code = Some("context_length_exceeded");
    let chat = "This model's maximum context length is 128000 tokens. However, your messages \
        resulted in 130500 tokens. Please reduce the length of the messages.";
    assert_eq!(figures_of(&openai(code, chat)), figures(130_500, 128_000));
    assert_eq!(figures_of(&openai(None, chat)), figures(130_500, 128_000), "also without a code");
    let newer = "Your input exceeds the context window of this model. Please adjust your input \
        and try again.";
    assert_eq!(figures_of(&openai(None, newer)), figures(None, None));
    assert_eq!(figures_of(&openai(code, "")), figures(None, None), "the code alone suffices");
}

#[test]
fn geminis_refusals_for_size_are_read() {
    let counted = "The input token count (1200293) exceeds the maximum number of tokens allowed \
        (1048576).";
    assert_eq!(figures_of(&gemini(counted)), figures(1_200_293, 1_048_576));
    let uncounted = "The input token count exceeds the maximum number of tokens allowed 1048576.";
    figures_of(&gemini(uncounted));
    let in_a_list = json!([gemini(counted)]);
    assert_eq!(figures_of(&in_a_list), figures(1_200_293, 1_048_576));
}

#[test]
fn openrouters_refusals_for_size_are_read_its_own_and_those_it_hands_on() {
    let own = json!({ "error": { "code": 400, "message": "This endpoint's maximum context length \
        is 262144 tokens. However, you requested about 300,000 tokens (290000 of text input, \
        10000 in the output). Please reduce the length of either one." } });
    assert_eq!(figures_of(&own), figures(300_000, 262_144));
    let handed_on = openrouter(&anthropic("prompt is too long: 9 tokens > 8 maximum"));
    assert_eq!(figures_of(&handed_on), figures(9, 8));
    figures_of(&openrouter(&gemini(
        "The input token count (9) exceeds the maximum number of \
        tokens allowed (8).",
    )));
}

#[test]
fn the_size_that_was_asked_for_is_the_total_and_not_added_to_its_parts() {
    for (message, asked, limit) in [
        (
            "This model's maximum context length is 4097 tokens, however you requested 4927 tokens \
                (3927 in your prompt; 1000 for the completion). Please reduce your prompt.",
            4_927,
            4_097,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 8300 tokens \
                (108 in the messages, 8192 in the completion).",
            8_300,
            8_192,
        ),
        (
            "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 \
                maximum context length",
            65_673,
            32_768,
        ),
        (
            "Unable to submit request because the input token count is 35465 but model only \
                supports up to 32768. Reduce the input token count and try again.",
            35_465,
            32_768,
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            537_812,
            131_072,
        ),
        (
            "The input (131173 tokens) is longer than the model's context length (131072 tokens).",
            131_173,
            131_072,
        ),
    ] {
        assert_eq!(figures_of(&openai(None, message)), figures(asked, limit), "{message}");
    }
    let bedrock = json!({ "message": "Input is too long for requested model." });
    assert_eq!(figures_of(&bedrock), figures(None, None));
}

#[test]
fn a_code_is_read_from_a_body_of_any_size_and_from_one_that_is_broken() {
    let large = json!({
        "input": "x".repeat(80_000),
        "error": { "code": "context_length_exceeded", "message": "no" },
    });
    let whole = openai(Some("context_length_exceeded"), "too long").to_string();
    let cut = &whole[..whole.len() - 2];
    for body in [
        large.to_string(),
        format!("\u{feff}{whole}"),
        format!("{whole}\0"),
        format!("data: {whole}\n\n"),
        cut.to_owned(),
    ] {
        assert!(matches!(classify(400, &body), ProviderError::ContextWindow(_)), "{body:.200}");
    }
}

#[test]
fn what_a_refusal_quotes_is_not_what_it_says() {
    for message in [
        "messages.0.content: 'prompt is too long: 300 tokens > 200 maximum' is not of type 'array'",
        "'the input (9 tokens) exceeds the context length (8 tokens)' does not match '^[a-z]+$'",
    ] {
        let body = openai(None, message).to_string();
        assert_eq!(classify(400, &body), ProviderError::BadRequest, "{message}");
    }
    for quoted in ["a quotation of Homer", &format!("{} rate limit", "word ".repeat(300))] {
        let message = format!("prompt is too long: 9 tokens > 8 maximum, of {quoted}");
        let body = anthropic(&message).to_string();
        assert!(matches!(classify(400, &body), ProviderError::ContextWindow(_)), "{quoted:.80}");
    }
}

#[test]
fn other_words_for_the_same_are_read_by_their_figures() {
    for message in [
        "the prompt has 285744 tokens, the most allowed is 200000",
        "input of 196758 plus max_tokens 8192 is above the context limit of 200000",
        "maximum context length is 262144 tokens but 0 output tokens were requested and the \
            prompt has at least 262145 input tokens",
        "Prompt is too long: 1,048,577 tokens > 1,048,576 maximum",
    ] {
        assert!(
            matches!(
                classify(400, &anthropic(message).to_string()),
                ProviderError::ContextWindow(_)
            ),
            "{message}"
        );
        assert!(matches!(classify(400, message), ProviderError::ContextWindow(_)), "as plain text");
    }
}

#[test]
fn other_bad_requests_are_other_bad_requests() {
    for message in [
        "messages: at least one message is needed",
        "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, \
            whereas you provided 100000.",
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        "messages.3.content.0.image.source: image exceeds 5 MB maximum: 5316852 bytes > 5242880 \
            bytes",
        "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an \
            array with length 3000 instead.",
        "tool_use ids were found without tool_result blocks immediately after: toolu_01",
        "the prompt has 150000 tokens, the most allowed is 200000",
        "prompt is too long: 100 tokens > 200 maximum",
        "the context of this request is unclear",
        "This model's maximum context length is 8192 tokens and it supports at most 4096 completion \
            tokens, whereas you provided 5000.",
        "This model's maximum context length is 128000 tokens. Invalid tool_call_id 9007199254.",
        "request rejected: logit_bias has 400 tokens, at most 300 are allowed",
        "",
    ] {
        for body in [anthropic(message), openai(None, message), gemini(message)] {
            assert_eq!(classify(400, &body.to_string()), ProviderError::BadRequest, "{message}");
        }
    }
    for body in ["", "<html>", "[]", "null", "{}", "{\"error\":[{}]}", "\u{0}"] {
        assert_eq!(classify(400, body), ProviderError::BadRequest, "{body}");
    }
}

#[test]
fn rate_and_quota_come_first_whatever_else_is_said() {
    let long = "prompt is too long: 9 tokens > 8 maximum";
    for (status, body) in [
        (429, anthropic(long)),
        (429, json!(null)),
        (402, openai(Some("context_length_exceeded"), "")),
        (400, json!({ "error": { "type": "rate_limit_error", "message": long } })),
        (400, openai(Some("insufficient_quota"), long)),
        (400, json!({ "error": { "status": "RESOURCE_EXHAUSTED", "message": long } })),
        (400, anthropic("too many tokens in one day: prompt of 9 tokens, maximum 8")),
        (400, anthropic("Your credit balance is too low to access the API.")),
        (413, anthropic("input tokens per minute: request of 9 tokens, maximum 8")),
    ] {
        let body = body.to_string();
        assert_eq!(classify(status, &body), ProviderError::RateOrQuota, "{status} {body}");
    }
    assert_eq!(classify(429, ""), ProviderError::RateOrQuota);
}

#[test]
fn only_status_400_is_about_the_window() {
    let body = openai(Some("context_length_exceeded"), "prompt is too long: 9 tokens > 8 maximum");
    for status in (100..600).filter(|status| ![400, 402, 429].contains(status)) {
        let other = if status == 413 { ProviderError::BodyTooLarge } else { ProviderError::Other };
        assert_eq!(classify(status, &body.to_string()), other, "status {status}");
    }
    let cancelled = json!({ "error": { "type": "server_error", "message": "context canceled" } });
    assert_eq!(classify(500, &cancelled.to_string()), ProviderError::Other);
}

#[test]
fn an_error_nested_too_deep_or_far_too_long_ends_nothing_but_the_look_at_it() {
    let nested = (0..60).fold(
        anthropic("prompt is too long: 9 tokens > 8 maximum"),
        |inner, _| json!({ "error": inner }),
    );
    assert_eq!(classify(400, &nested.to_string()), ProviderError::BadRequest);
    let long = "9 ".repeat(1_000_000);
    assert_eq!(classify(400, &long), ProviderError::BadRequest);
    assert_eq!(classify(400, &"[".repeat(1_000_000)), ProviderError::BadRequest);
}
