//! The promise: a reading is what the provider reported for this very request over this very
//! history, or it says that it is none. Shown on reports of both shapes, whole and damaged, and by
//! long random turns against a meter that remembers everything.

use graff_notes::units::{Bytes, BytesPerToken, Generation, Tokens};
use graff_notes::usage::{
    Filled, IMAGE_PRESSURE, Item, Meter, Reading, Report, Unusable, pressure,
};
use proptest::prelude::*;
use serde_json::{Value, json};

mod report;

fn tokens(n: u64) -> Tokens {
    Tokens::new(n)
}

fn generation(n: u64) -> Generation {
    Generation::new(n)
}

const WINDOW: Tokens = Tokens::new(200_000);

fn input(usage: &Value, window: Tokens) -> Result<Tokens, Unusable> {
    Report::from_json(usage).and_then(|report| report.input(window))
}

/// A whole report of `n` tokens.
fn report_of(n: u64) -> Report {
    let none = Tokens::ZERO;
    Report::Anthropic { input: tokens(n), cache_read: none, cache_creation: none }
}

mod the_meter {
    use super::*;

    #[test]
    fn knows_nothing_before_the_first_response() {
        let mut meter = Meter::new();
        assert_eq!(meter.measured(generation(0)), None);
        let request = meter.begin(generation(0));
        assert_eq!(meter.measured(generation(0)), None);
        assert_eq!(meter.fill(request, Ok(report_of(9_000)), WINDOW), measured(9_000));
        assert_eq!(meter.measured(generation(0)), Some(tokens(9_000)));
    }

    #[test]
    fn is_cleared_by_the_next_request() {
        let (mut meter, now) = (Meter::new(), generation(1));
        let first = meter.begin(now);
        meter.fill(first, Ok(report_of(9_500)), WINDOW);
        let second = meter.begin(now);
        assert_eq!(meter.measured(now), None);
        let filled = meter.fill(second, Err(Unusable::NotReported), WINDOW);
        assert_eq!(filled, Filled::Unknown(Unusable::NotReported));
        assert_eq!(meter.measured(now), None, "never the reading of an earlier round");
    }

    #[test]
    fn takes_nothing_from_a_response_that_comes_late() {
        let (mut meter, now) = (Meter::new(), generation(1));
        let slow = meter.begin(now);
        let quick = meter.begin(now);
        assert_eq!(meter.fill(slow, Ok(report_of(1)), WINDOW), Filled::Late);
        assert_eq!(meter.measured(now), None);
        assert_eq!(meter.fill(quick, Ok(report_of(2)), WINDOW), measured(2));
        assert_eq!(meter.measured(now), Some(tokens(2)));
    }

    #[test]
    fn is_void_once_the_history_is_rewritten() {
        let mut meter = Meter::new();
        let request = meter.begin(generation(4));
        meter.fill(request, Ok(report_of(190_000)), WINDOW);
        assert_eq!(meter.measured(generation(4)), Some(tokens(190_000)));
        assert_eq!(meter.measured(generation(5)), None);
        assert_eq!(meter.measured(generation(3)), None);
    }

    #[test]
    fn is_void_too_where_the_rewriting_came_before_the_response() {
        let mut meter = Meter::new();
        let request = meter.begin(generation(4));
        let rewritten = generation(4).next();
        meter.fill(request, Ok(report_of(190_000)), WINDOW);
        assert_eq!(meter.measured(rewritten), None);
    }

    #[test]
    fn can_be_cleared() {
        let mut meter = Meter::new();
        let request = meter.begin(generation(4));
        meter.fill(request, Ok(report_of(190_000)), WINDOW);
        meter.clear();
        assert_eq!(meter.measured(generation(4)), None);
    }

    #[test]
    fn has_the_history_weighed_only_where_it_knows_nothing() {
        let mut meter = Meter::new();
        let weighed = meter.reading(generation(0), || Bytes::new(7));
        assert_eq!(weighed, Reading::Pressure { bytes: Bytes::new(7) });
        let request = meter.begin(generation(0));
        meter.fill(request, Ok(report_of(5)), WINDOW);
        let known = meter.reading(generation(0), || panic!("there was no need to weigh it"));
        assert_eq!(known, Reading::Measured { tokens: tokens(5) });
    }

    fn measured(n: u64) -> Filled {
        Filled::Measured { tokens: tokens(n) }
    }
}

mod a_reading {
    use super::*;

    #[test]
    fn names_its_source() {
        let measured = serde_json::to_value(Reading::Measured { tokens: tokens(9) });
        assert_eq!(measured.expect("plain"), json!({"source": "measured", "tokens": 9}));
        let weighed = serde_json::to_value(Reading::Pressure { bytes: Bytes::new(9) });
        assert_eq!(weighed.expect("plain"), json!({"source": "pressure", "bytes": 9}));
    }

    #[test]
    fn counts_a_part_of_a_token_as_a_whole_one() {
        let ratio = |n| BytesPerToken::new(n).expect("at least 1");
        let weighed = |n| Reading::Pressure { bytes: Bytes::new(n) };
        for (bytes, per_token, effective) in
            [(0, 4, 0), (1, 4, 1), (4, 4, 1), (5, 4, 2), (9_001, 1, 9_001), (u64::MAX, 2, 1 << 63)]
        {
            assert_eq!(weighed(bytes).effective(ratio(per_token)), tokens(effective));
        }
        let measured = Reading::Measured { tokens: tokens(9) };
        assert_eq!(measured.effective(ratio(4)), tokens(9), "a measured size has no ratio");
    }

    #[test]
    fn is_never_weighed_at_less_than_one_byte_a_token() {
        assert_eq!(BytesPerToken::new(0), None);
        assert_eq!(BytesPerToken::default(), BytesPerToken::ONE);
        assert_eq!(BytesPerToken::new(1), Some(BytesPerToken::ONE));
    }
}

#[test]
fn a_history_weighs_its_text_its_calls_and_a_flat_figure_for_each_image() {
    let call = Item::ToolCall { id: "c1", name: "read", arguments: r#"{"path":"ä"}"# };
    let result = Item::ToolResult { id: "c1", content: "not found" };
    for (item, bytes) in [
        (Item::Text(""), 0),
        (Item::Text("grüße"), 7),
        (call, 2 + 4 + 13),
        (result, 2 + 9),
        (Item::Image, 16_384),
    ] {
        assert_eq!(item.pressure(), Bytes::new(bytes), "{item:?}");
    }
    let whole = pressure([Item::Text("grüße"), call, result, Item::Image, Item::Image]);
    assert_eq!(whole, Bytes::new(7 + 19 + 11 + 2 * IMAGE_PRESSURE.get()));
    assert_eq!(pressure([]), Bytes::ZERO);
}

/// What a host can do to a meter.
#[derive(Clone, Debug)]
enum Step {
    Begin,
    /// The response to one of the requests under way, counted from the oldest.
    Respond(usize, Option<u64>),
    Rewrite,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Begin),
        4 => (0..3_usize, prop::option::weighted(0.8, 1..500_000_u64))
            .prop_map(|(which, tokens)| Step::Respond(which, tokens)),
        1 => Just(Step::Rewrite),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #[test]
    fn the_meter_reads_the_last_request_of_this_generation_or_nothing(steps in steps()) {
        let (mut meter, mut now) = (Meter::new(), generation(0));
        let (mut under_way, mut begun) = (Vec::new(), 0);
        let mut truth = None;
        for step in steps {
            match step {
                Step::Begin => {
                    begun += 1;
                    under_way.push((begun, now, meter.begin(now)));
                    truth = None;
                }
                Step::Respond(which, figure) if which < under_way.len() => {
                    let (number, then, request) = under_way.remove(which);
                    let usage = figure.map(report_of).ok_or(Unusable::NotReported);
                    meter.fill(request, usage, Tokens::ZERO);
                    if (number, then) == (begun, now) {
                        truth = figure.map(tokens);
                    }
                }
                Step::Respond(..) => {}
                Step::Rewrite => {
                    now = now.next();
                    truth = None;
                }
            }
            prop_assert_eq!(meter.measured(now), truth);
        }
    }

    #[test]
    fn any_three_figures_add_up_or_are_refused(input: u64, read: u64, created: u64, window: u64) {
        let report = Report::Anthropic {
            input: tokens(input), cache_read: tokens(read), cache_creation: tokens(created),
        };
        let sum = u128::from(input) + u128::from(read) + u128::from(created);
        let usable = sum > 0
            && sum <= u128::from(u64::MAX)
            && (window == 0 || sum <= 4 * u128::from(window));
        let given = report.input(tokens(window)).ok().map(|sum| u128::from(sum.get()));
        prop_assert_eq!(given, usable.then_some(sum));
    }

    #[test]
    fn any_prompt_is_at_least_what_the_total_leaves_for_it(
        prompt in 0..1_000_000_u64, completion in 0..1_000_000_u64, total in 0..1_000_000_u64,
    ) {
        let usage = json!({
            "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total,
        });
        let expected = (i128::from(total) - i128::from(completion)).max(i128::from(prompt));
        let given = input(&usage, Tokens::ZERO).map_or(0, |tokens| i128::from(tokens.get()));
        prop_assert_eq!(given, expected);
    }
}
