//! The history: whole at any time, and cut at its oldest end only where a turn begins.

use graff_notes::{
    turn::{Cut, History, HistoryRefused, Item, Reseat, Summary, ToolCall, ToolResult},
    units::{Bytes, Generation},
};

use super::world::{Model, NOTE, World, prompt, says, steer, summary, tool};

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
fn what_no_response_has_answered_yet_is_never_cut() {
    let mut history = four_turns();
    history.steer(vec!["also".to_owned()]);
    history.end(); // the provider failed
    history.begin(Vec::new(), "five".to_owned());
    history.cut(Bytes::ZERO, ten).expect("a cut");
    assert_eq!(history.items(), [prompt("four"), steer("also"), prompt("five")]);
    history.install(&Summary::read(&summary()).expect("a summary"), Reseat::LivePrompt);
    assert_eq!(history.items()[1..], [prompt("five"), steer("also")]);
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
fn the_cap_is_applied_before_each_request_after_the_steers_and_is_a_rewriting() {
    let mut world = World::of_window(100_000);
    world.settings.history_max = Some(Bytes::new(100));
    let mut conversation = world.conversation();
    let mut model = Model::new([says(&"a".repeat(50), 100)]);
    let _ended = model.run(&mut conversation, "one");
    assert_eq!(conversation.notebook().generation(), Generation::ZERO);

    // The second turn's first request holds 2 + 50 + 4 bytes; with the steer it is too much.
    let mut model = Model::new([]);
    model.then_while(&[&"s".repeat(60)], tool("ok", 200)).then([says("done", 300)]);
    let ended = model.run(&mut conversation, "two");
    assert_eq!(model.requests[0].items.len(), 3);
    assert_eq!(model.requests[1].items[0], prompt("two"));
    assert_eq!(model.requests[1].items.last(), Some(&steer(&"s".repeat(60))));
    assert_eq!(conversation.notebook().generation(), Generation::new(1));
    assert!(ended.troubles.is_empty());
}

#[test]
fn the_cap_never_cuts_the_turn_that_runs() {
    let mut world = World::of_window(100_000);
    world.settings.history_max = Some(Bytes::new(10));
    let mut model = Model::new([tool(&"r".repeat(500), 100), says("done", 200)]);
    let _ended = model.run(&mut world.conversation(), "a prompt of more than ten bytes");
    assert_eq!(model.last().items.len(), 3);
}

#[test]
fn a_reading_from_before_the_cap_cut_is_void() {
    let mut world = World::of_window(10_000);
    world.settings.history_max = Some(Bytes::new(100));
    let mut conversation = world.conversation();
    let mut model = Model::new([says(&"a".repeat(90), 9_000), says(NOTE, None), says("", None)]);
    let _ended = model.run(&mut conversation, "one");
    let mut model = Model::new([says("done", None)]);
    let ended = model.run(&mut conversation, "a second prompt");
    assert_eq!(model.last().items.len(), 1);
    assert!(!ended.rollover.is_performed());
}
