//! The promise: a history rolls over at the smallest of three limits, exactly there, and the answer
//! says which limit that was. Shown row by row, at the boundary and one to each side of it.

use graff_notes::threshold::{Binding, Compared, Handoff, Policy, PolicyRefused, Threshold};
use graff_notes::units::{Bytes, BytesPerToken, Generation, Tokens};
use graff_notes::usage::{Meter, Reading, Report};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

fn tokens(n: u64) -> Tokens {
    Tokens::new(n)
}

#[track_caller]
fn policy(percent: u64, ceiling: u64, output_reserve: u64) -> Policy {
    Policy::new(percent, tokens(ceiling), tokens(output_reserve)).expect("the limits make sense")
}

#[test]
fn the_smallest_term_binds() {
    use Binding::{Ceiling, Disabled, OutputReserve, Percent};
    for (window, percent, ceiling, reserve, threshold, binding) in [
        (200_000, 90, 272_000, 20_000, 180_000, Percent),
        (200_000, 90, 272_000, 20_001, 179_999, OutputReserve),
        (200_000, 90, 272_000, 65_536, 134_464, OutputReserve),
        (1_000_000, 90, 272_000, 32_768, 272_000, Ceiling),
        (1_000_000, 90, 0, 32_768, 900_000, Percent),
        (1_000_000, 90, 0, 128_000, 872_000, OutputReserve),
        (333_333, 85, 0, 1_000, 283_333, Percent),
        (199_999, 90, 0, 0, 179_999, Percent),
        (1_005, 90, 0, 0, 904, Percent),
        (9, 90, 0, 0, 8, Percent),
        (1_000, 90, 272_000, 2_000, 0, Disabled),
        (0, 90, 272_000, 0, 272_000, Ceiling),
        (0, 90, 0, 0, 0, Disabled),
    ] {
        let given = policy(percent, ceiling, reserve).threshold(tokens(window));
        let row = format!("window {window}, {percent} %, ceiling {ceiling}, reserve {reserve}");
        assert_eq!(given.tokens(), tokens(threshold), "{row}");
        assert_eq!(given.binding(), binding, "{row}");
    }
}

#[test]
fn a_measured_size_fires_at_the_threshold_and_a_weight_above_it() {
    let threshold = policy(90, 272_000, 0).threshold(tokens(10_000));
    assert_eq!(threshold.tokens(), tokens(9_000));
    for (measured, due) in [(8_500, false), (8_900, false), (8_999, false), (9_000, true)] {
        assert_eq!(threshold.check_measured(tokens(measured)).is_due(), due, "{measured} tokens");
    }
    for (bytes, due) in [(8_999, false), (9_000, false), (9_001, true)] {
        let answer = threshold.check_pressure(Bytes::new(bytes), BytesPerToken::ONE);
        assert_eq!(answer.is_due(), due, "{bytes} bytes");
    }
}

#[test]
fn of_a_turn_only_the_final_request_counts() {
    let threshold = policy(90, 272_000, 0).threshold(tokens(10_000));
    for (rounds, bytes, due) in [
        (&[Some(8_500), Some(8_900)][..], 0, false),
        (&[Some(8_500), Some(9_000)], 0, true),
        (&[Some(9_500), Some(8_500)], 20_000, false),
        (&[Some(9_500), None], 9_000, false),
        (&[Some(9_500), None], 9_001, true),
    ] {
        let reading = read_turn(rounds, Bytes::new(bytes));
        assert_eq!(check(&threshold, reading).is_due(), due, "{rounds:?}, {bytes} bytes");
    }
}

/// The reading at the end of a turn whose requests were reported as `rounds` say.
fn read_turn(rounds: &[Option<u64>], weight: Bytes) -> Reading {
    let (mut meter, now) = (Meter::new(), Generation::ZERO);
    for round in rounds {
        let request = meter.begin(now);
        let usage = round.map_or(Value::Null, |n| json!({ "input_tokens": n }));
        meter.fill(request, Report::from_json(&usage), tokens(10_000));
    }
    meter.reading(now, || weight)
}

fn check(threshold: &Threshold, reading: Reading) -> Handoff {
    match reading {
        Reading::Measured { tokens } => threshold.check_measured(tokens),
        Reading::Pressure { bytes } => threshold.check_pressure(bytes, BytesPerToken::ONE),
    }
}

#[test]
fn a_disabled_threshold_never_fires() {
    for disabled in [
        policy(90, 0, 0).threshold(Tokens::ZERO),
        policy(90, 272_000, 2_000).threshold(tokens(1_000)),
        policy(90, 0, 0).threshold(tokens(1)),
    ] {
        assert_eq!(disabled.binding(), Binding::Disabled);
        assert_eq!(disabled.check_measured(Tokens::MAX), Handoff::Disabled);
        let answer = disabled.check_pressure(Bytes::MAX, BytesPerToken::ONE);
        assert_eq!(answer, Handoff::Disabled);
    }
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for given in (0..=1_000).filter(|percent| !(1..=100).contains(percent)).chain([u64::MAX]) {
        let refused = Policy::default().with_percent(given);
        assert_eq!(refused, Err(PolicyRefused::Percent { given }));
    }
    for given in 1..=999 {
        let refused = Policy::default().with_ceiling(tokens(given));
        let least = tokens(1_000);
        assert_eq!(refused, Err(PolicyRefused::Ceiling { given: tokens(given), least }));
    }
    for percent in 1..=100 {
        assert!(Policy::default().with_percent(percent).is_ok(), "{percent} percent");
    }
    for ceiling in [0, 1_000, 272_000, u64::MAX] {
        assert!(Policy::default().with_ceiling(tokens(ceiling)).is_ok(), "a ceiling of {ceiling}");
    }
}

/// What other agents got wrong, one case a line, with the project where it was seen.
mod where_others_went_wrong {
    use super::*;

    const CASES: &str = include_str!("../../fixtures/readings.jsonl");

    #[derive(Deserialize)]
    struct Case {
        defect: String,
        #[serde(default)]
        window: Tokens,
        percent: Option<u64>,
        ceiling: Option<Tokens>,
        #[serde(default)]
        output_reserve: Tokens,
        /// Absent where the limits are to be refused.
        binding: Option<String>,
        readings: Vec<CaseReading>,
    }

    #[derive(Deserialize)]
    struct CaseReading {
        tokens: Option<Tokens>,
        #[serde(default)]
        usage: Value,
        /// How often the history was rewritten after the measurement.
        #[serde(default)]
        rewritten: u64,
        #[serde(default)]
        bytes: Bytes,
        due: bool,
    }

    impl Case {
        fn policy(&self) -> Result<Policy, PolicyRefused> {
            let mut policy = Policy::default().with_output_reserve(self.output_reserve);
            if let Some(percent) = self.percent {
                policy = policy.with_percent(percent)?;
            }
            if let Some(ceiling) = self.ceiling {
                policy = policy.with_ceiling(ceiling)?;
            }
            Ok(policy)
        }
    }

    impl CaseReading {
        fn reading(&self, window: Tokens) -> Reading {
            if let Some(tokens) = self.tokens {
                return Reading::Measured { tokens };
            }
            let mut meter = Meter::new();
            let request = meter.begin(Generation::ZERO);
            meter.fill(request, Report::from_json(&self.usage), window);
            meter.reading(Generation::new(self.rewritten), || self.bytes)
        }
    }

    #[test]
    fn a_history_rolls_over_when_it_should_and_not_before() {
        for line in CASES.lines() {
            let case: Case = serde_json::from_str(line).expect("the fixture is well formed");
            let Case { defect, window, binding, readings, .. } = &case;
            let Some(binding) = binding else {
                assert!(case.policy().is_err(), "{defect}");
                continue;
            };
            let threshold = case.policy().expect(defect).threshold(*window);
            assert_eq!(threshold.binding().as_str(), binding, "{defect}");
            for given in readings {
                let answer = check(&threshold, given.reading(*window));
                assert_eq!(answer.is_due(), given.due, "{defect}: {answer:?}");
            }
        }
    }
}

#[test]
fn where_two_terms_are_equally_small_the_first_is_said_to_bind() {
    let tied = policy(50, 1_000, 1_000).threshold(tokens(2_000));
    assert_eq!((tied.tokens(), tied.binding()), (tokens(1_000), Binding::Percent));
    let tied = policy(90, 1_000, 1_000).threshold(tokens(2_000));
    assert_eq!((tied.tokens(), tied.binding()), (tokens(1_000), Binding::Ceiling));
}

#[test]
fn an_answer_carries_what_was_compared() {
    let threshold = policy(90, 272_000, 0).threshold(tokens(10_000));
    let limit = tokens(9_000);
    let measured = Compared::Measured { tokens: tokens(9_000), limit };
    assert_eq!(threshold.check_measured(tokens(9_000)), Handoff::Due(measured));
    let ratio = BytesPerToken::new(4).expect("at least 1");
    let weighed = Compared::Pressure { bytes: Bytes::new(36_000), limit: Bytes::new(36_000) };
    assert_eq!(threshold.check_pressure(Bytes::new(36_000), ratio), Handoff::NotDue(weighed));
    let json = serde_json::to_value(Handoff::Due(measured)).expect("plain figures");
    let expected = json!({"answer": "due", "source": "measured", "tokens": 9_000, "limit": 9_000});
    assert_eq!(json, expected);
}

#[test]
fn a_threshold_is_one_object_with_every_term() {
    let threshold = policy(90, 0, 65_536).threshold(tokens(200_000));
    let json = serde_json::to_value(threshold).expect("plain figures");
    let expected = json!({
        "tokens": 134_464, "binding": "output_reserve", "window": 200_000,
        "terms": {"percent": 180_000, "ceiling": null, "output_reserve": 134_464},
    });
    assert_eq!(json, expected);
    for binding in [Binding::Percent, Binding::Ceiling, Binding::OutputReserve, Binding::Disabled] {
        assert_eq!(serde_json::to_value(binding).expect("a name"), binding.as_str());
    }
}

#[test]
fn a_refused_limit_says_what_would_be_accepted() {
    let percent = Policy::default().with_percent(101).map_err(|why| why.to_string());
    assert_eq!(percent, Err("101 percent is not in 1 to 100".to_owned()));
    let ceiling = Policy::default().with_ceiling(tokens(1)).map_err(|why| why.to_string());
    let words = "a ceiling of 1 tokens is below 1000; 0 switches it off";
    assert_eq!(ceiling, Err(words.to_owned()));
}

proptest! {
    #[test]
    fn no_window_is_too_large_for_the_arithmetic(
        window: u64, percent in 1..=100_u64, ceiling in 1_000..=u64::MAX, reserve: u64,
    ) {
        let given = policy(percent, ceiling, reserve).threshold(tokens(window));
        let share = u128::from(window) * u128::from(percent) / 100;
        let room = u128::from(window.saturating_sub(reserve));
        let smallest = share.min(room).min(u128::from(ceiling));
        let expected = if window == 0 { u128::from(ceiling) } else { smallest };
        prop_assert_eq!(u128::from(given.tokens().get()), expected);
        prop_assert_eq!(given.binding() == Binding::Disabled, expected == 0);
    }

    #[test]
    fn what_fires_once_fires_at_every_larger_reading(
        window: u64, reserve: u64, ratio in 1..=u64::MAX, smaller: u64, larger: u64,
    ) {
        let (smaller, larger) = (smaller.min(larger), smaller.max(larger));
        let threshold = policy(90, 272_000, reserve).threshold(tokens(window));
        let measured = |n| threshold.check_measured(tokens(n)).is_due();
        prop_assert!(!measured(smaller) || measured(larger));
        let ratio = BytesPerToken::new(ratio).expect("at least 1");
        let weighed = |n| threshold.check_pressure(Bytes::new(n), ratio).is_due();
        prop_assert!(!weighed(smaller) || weighed(larger));
    }

    #[test]
    fn a_weight_is_held_against_the_exact_product(
        ceiling in 1_000..=u64::MAX, ratio in 1..=u64::MAX, bytes: u64,
    ) {
        let threshold = policy(90, ceiling, 0).threshold(Tokens::ZERO);
        let exact = u128::from(bytes) > u128::from(ceiling) * u128::from(ratio);
        let ratio = BytesPerToken::new(ratio).expect("at least 1");
        prop_assert_eq!(threshold.check_pressure(Bytes::new(bytes), ratio).is_due(), exact);
    }
}
