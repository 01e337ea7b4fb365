//! The promise: a history rolls over at the smallest of three limits, exactly there, and the answer
//! says which limit that was. Shown row by row, at the boundary and one to each side of it.

use graff_notes::threshold::{Binding, Handoff, Policy, PolicyRefused};
use graff_notes::units::{Bytes, BytesPerToken, Tokens};

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
