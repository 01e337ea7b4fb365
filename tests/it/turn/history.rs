//! The history: whole at any time, and cut at its oldest end only where a turn begins.

use graff_notes::{
    turn::{Cut, History, HistoryRefused, Item, Reseat, Summary, ToolCall, ToolResult},
    units::{Bytes, Tokens},
    usage::Reading,
};

use proptest::prelude::*;

use super::world::{Model, NOTE, World, now, prompt, says, steer, summary};

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: "read".to_owned(), arguments: "{}".to_owned() }
}

fn result(id: &str) -> ToolResult {
    ToolResult { id: id.to_owned(), content: "ok".to_owned() }
}

fn said(text: &str) -> Item {
    Item::Assistant { text: text.to_owned() }
}

/// Every item weighs 10.
fn ten(_: &Item) -> Bytes {
    Bytes::new(10)
}

/// Three turns of three items, and a fourth that has just begun.
fn four_turns() -> History {
    let mut history = History::new();
    for turn in ["one", "two", "three"] {
        history.begin(Vec::new(), turn.to_owned());
        history.answer(format!("{turn}?"), Vec::new());
        history.answer(format!("{turn}!"), Vec::new());
        history.end();
    }
    history.begin(Vec::new(), "four".to_owned());
    history
}

#[test]
fn the_oldest_turns_are_cut_first_and_whole() {
    for (cap, left, cut) in
        [(100, 10, 0), (99, 7, 3), (70, 7, 3), (69, 4, 6), (40, 4, 6), (39, 1, 9), (0, 1, 9)]
    {
        let mut history = four_turns();
        let given = history.cut(Bytes::new(cap), ten);
        let bytes = Bytes::new(10 * cut as u64);
        assert_eq!(given, (cut > 0).then_some(Cut { items: cut, bytes }), "cap {cap}");
        assert_eq!(history.items().len(), left, "cap {cap}");
        assert!(matches!(history.items()[0], Item::Prompt { .. }), "a turn begins there");
        assert_eq!(history.live_prompt(), Some("four"));
    }
}

#[test]
fn the_summary_that_a_history_begins_with_is_kept() {
    let mut history = four_turns();
    history.answer("four!".to_owned(), Vec::new());
    history.end();
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::None);
    for turn in ["five", "six"] {
        history.begin(Vec::new(), turn.to_owned());
        history.answer("yes".to_owned(), Vec::new());
        history.end();
    }
    history.begin(Vec::new(), "seven".to_owned());
    assert_eq!(history.cut(Bytes::new(40), ten).map(|cut| cut.items), Some(2));
    let items = history.items();
    assert!(matches!(items[0], Item::Handoff { .. }));
    assert_eq!(items[1..], [prompt("six"), said("yes"), prompt("seven")]);
}

#[test]
fn steers_that_were_carried_over_belong_to_the_turn_they_begin() {
    let mut history = four_turns();
    history.answer("four!".to_owned(), Vec::new());
    history.end();
    history.begin(vec!["also".to_owned()], "five".to_owned());
    history.cut(Bytes::ZERO, ten).expect("a cut");
    assert_eq!(history.items(), [steer("also"), prompt("five")]);
}

#[test]
fn a_steer_that_no_response_has_answered_is_neither_cut_nor_summarised_away() {
    let mut history = four_turns();
    history.steer(vec!["also".to_owned()]);
    history.end(); // the provider failed
    history.begin(Vec::new(), "five".to_owned());
    history.cut(Bytes::ZERO, ten).expect("a cut");
    assert_eq!(history.items(), [steer("also"), prompt("five")], "the failed prompt may go");
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::LivePrompt);
    assert_eq!(history.items()[1..], [steer("also"), prompt("five")]);
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::LivePrompt);
    assert_eq!(history.items()[1..], [steer("also"), prompt("five")], "each once");
}

#[test]
fn a_prompt_that_no_response_has_answered_is_not_summarised_away_between_two_turns() {
    let mut history = four_turns();
    history.end(); // the provider failed
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::None);
    assert_eq!(history.items()[1..], [prompt("four")]);
}

#[test]
fn what_a_resumed_history_ends_with_is_not_answered_yet() {
    let items = vec![prompt("one"), said("yes"), steer("also"), prompt("two")];
    let mut history = History::resumed(items).expect("whole");
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::None);
    assert_eq!(history.items()[1..], [steer("also"), prompt("two")]);
}

#[test]
fn a_steer_that_began_a_turn_and_was_not_answered_is_still_owed() {
    let mut history = four_turns();
    history.answer("four!".to_owned(), Vec::new());
    history.begin_carried(vec!["first".to_owned(), "second".to_owned()]);
    assert_eq!(history.live_prompt(), Some("second"));
    history.begin(Vec::new(), "three".to_owned()); // the provider failed
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::LivePrompt);
    assert_eq!(history.items()[1..], [steer("first"), steer("second"), prompt("three")]);
}

#[test]
fn results_answer_the_calls_or_are_refused() {
    let mut history = History::new();
    history.begin(Vec::new(), "go".to_owned());
    history.answer(String::new(), vec![call("a"), call("b")]);
    let unanswered = HistoryRefused::Unanswered { id: "b".to_owned() };
    assert_eq!(history.results(vec![result("a")]), Err(unanswered));
    let no_such = HistoryRefused::NoSuchCall { id: "c".to_owned() };
    assert_eq!(history.results(vec![result("a"), result("c")]), Err(no_such));
    let twice = HistoryRefused::NoSuchCall { id: "a".to_owned() };
    assert_eq!(history.results(vec![result("a"), result("a"), result("b")]), Err(twice));
    assert_eq!(history.items().len(), 3, "nothing was added");
    assert_eq!(history.results(vec![result("b"), result("a")]), Ok(()));
}

#[test]
fn calls_that_a_turn_leaves_open_get_a_result_that_says_so() {
    let mut history = History::new();
    history.begin(Vec::new(), "go".to_owned());
    history.answer("I look".to_owned(), vec![call("a"), call("b")]);
    history.end();
    let [.., Item::ToolResult(first), Item::ToolResult(second)] = history.items() else {
        panic!("two results")
    };
    assert_eq!((first.id.as_str(), second.id.as_str()), ("a", "b"));
    assert!(first.content.contains("stopped"));
    let items = history.items().to_vec();
    assert!(History::resumed(items).is_ok(), "what is kept is whole");
}

#[test]
fn items_that_are_no_history_are_not_taken_over() {
    let orphan = vec![prompt("go"), Item::ToolResult(result("a"))];
    let no_such = HistoryRefused::NoSuchCall { id: "a".to_owned() };
    assert_eq!(History::resumed(orphan), Err(no_such));
    for open in [
        vec![prompt("go"), Item::ToolCall(call("a"))],
        vec![prompt("go"), Item::ToolCall(call("a")), said("hm"), Item::ToolResult(result("a"))],
    ] {
        let unanswered = HistoryRefused::Unanswered { id: "a".to_owned() };
        assert_eq!(History::resumed(open), Err(unanswered));
    }
}

#[test]
fn a_turn_that_was_not_answered_to_its_end_is_never_cut_within() {
    let mut history = four_turns();
    history.answer(String::new(), vec![call("a")]);
    history.results(vec![result("a")]).expect("it fits");
    history.end(); // the provider failed
    history.begin(Vec::new(), "five".to_owned());
    assert_eq!(history.cut(Bytes::new(35), ten).map(|cut| cut.items), Some(12));
    assert_eq!(history.items(), [prompt("five")]);
}

/// What may happen to a history, in any order.
#[derive(Clone, Debug)]
enum Step {
    Begin(usize),
    Steer(usize),
    Answer(usize),
    Results,
    End,
    Cut(u64),
    Install(Reseat),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize).prop_map(Step::Begin),
        2 => (0..3_usize).prop_map(Step::Steer),
        6 => (0..4_usize).prop_map(Step::Answer),
        5 => Just(Step::Results),
        3 => Just(Step::End),
        3 => (0..200_u64).prop_map(Step::Cut),
        1 => Just(Step::Install(Reseat::None)),
        1 => Just(Step::Install(Reseat::LivePrompt)),
    ]
}

impl Step {
    fn take(self, number: usize, history: &mut History) {
        let texts = |count| (0..count).map(|n| format!("steer {number}/{n}")).collect();
        match self {
            Self::Begin(carried) => history.begin(texts(carried), format!("prompt {number}")),
            Self::Steer(count) => history.steer(texts(count)),
            Self::Answer(calls) => {
                let calls = (0..calls).map(|n| call(&format!("{number}/{n}"))).collect();
                history.answer(format!("answer {number}"), calls);
            }
            Self::Results => {
                let calls = history.items().iter().rev().map_while(|item| match item {
                    Item::ToolCall(call) => Some(result(&call.id)),
                    _ => None,
                });
                let results = calls.collect();
                history.results(results).expect("one for each open call");
            }
            Self::End => history.end(),
            Self::Cut(cap) => drop(history.cut(Bytes::new(cap), ten)),
            Self::Install(reseat) => {
                history.install(&Summary::read("TASK: x").expect("a summary"), reseat);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_history_is_whole_whatever_happens_to_it_in_whatever_order(
        steps in prop::collection::vec(any_step(), 1..40),
    ) {
        let mut history = History::new();
        for (number, step) in steps.into_iter().enumerate() {
            let live = history.live_prompt().map(str::to_owned);
            let ends = matches!(step, Step::Begin(_) | Step::End | Step::Install(Reseat::None));
            step.take(number, &mut history);
            let mut at_rest = history.clone();
            at_rest.end();
            let whole = History::resumed(at_rest.items().to_vec());
            prop_assert!(whole.is_ok(), "{whole:?}: {:?}", history.items());
            if let Some(live) = live.filter(|_| !ends) {
                prop_assert!(history.items().contains(&prompt(&live)), "the live prompt is lost");
            }
        }
    }
}

#[test]
fn calls_of_two_responses_are_not_answered_across_each_other() {
    let items = |ids: &[&str]| -> Vec<Item> {
        let item = |id: &&str| match id.strip_prefix('=') {
            Some(id) => Item::ToolResult(result(id)),
            None => Item::ToolCall(call(id)),
        };
        [prompt("go")].into_iter().chain(ids.iter().map(item)).collect()
    };
    let unanswered = HistoryRefused::Unanswered { id: "b".to_owned() };
    let across = items(&["a", "b", "=a", "d", "=b", "=d"]);
    assert_eq!(History::resumed(across), Err(unanswered));
    assert!(History::resumed(items(&["a", "b", "=b", "=a", "d", "=d"])).is_ok());
}

#[test]
fn an_answer_of_white_space_alone_is_no_item() {
    let mut history = History::new();
    history.begin(Vec::new(), "go".to_owned());
    history.answer(" \n\t".to_owned(), vec![call("a")]);
    assert_eq!(history.items(), [prompt("go"), Item::ToolCall(call("a"))]);
}

#[test]
fn a_reading_belongs_to_its_generation() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let mut model = Model::new([says("done", 9_000), says(NOTE, None), says("", None)]);
    let _ended = model.run(&mut conversation, "one");
    assert_eq!(conversation.reading(), Reading::Measured { tokens: Tokens::new(9_000) });
    conversation.notebook().rolled_over(now()).expect("on record"); // the host trims by itself
    assert!(matches!(conversation.reading(), Reading::Pressure { .. }));
}
