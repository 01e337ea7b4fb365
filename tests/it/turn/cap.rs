//! The cap of the history: what is older than the turn that runs is cut off before a request is
//! made, whatever made the history too large, and the host is told.

use graff_notes::{
    conversation::{Answered, Response},
    turn::{Cut, Item, ToolCall, ToolResult},
    units::{Bytes, Generation},
};

use super::world::{BASE, Model, World, now, prompt, response, says, steer, tool};

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

/// A world whose history may weigh 100 bytes.
fn of_a_hundred_bytes() -> World {
    let mut world = World::of_window(100_000);
    world.settings.history_max = Some(Bytes::new(100));
    world
}

/// A turn of two items and 53 bytes.
const FIRST: Cut = Cut { items: 2, bytes: Bytes::new(53) };

#[test]
fn a_prompt_alone_makes_the_turns_first_request_cut_and_the_host_is_told() {
    for (prompted, cut) in [(47, None), (48, Some(FIRST))] {
        let world = of_a_hundred_bytes();
        let mut conversation = world.conversation();
        let _ended = Model::new([says(&"a".repeat(50), 100)]).run(&mut conversation, "one");
        let live = "p".repeat(prompted);
        let asked = conversation.begin(live.as_str()).expect("a prompt").request(BASE, now());
        let asked = asked.expect("a request");
        assert_eq!(asked.cut(), cut, "a prompt of {prompted} bytes");
        assert_eq!(asked.items().len(), if cut.is_some() { 1 } else { 3 });
        assert_eq!(asked.items().last(), Some(&prompt(&live)));
        drop(asked);
        let generation = Generation::new(u64::from(cut.is_some()));
        assert_eq!(conversation.notebook().generation(), generation);
    }
}

#[test]
fn a_tool_result_alone_makes_the_next_request_cut_and_the_host_is_told() {
    let call = ToolCall { id: "c1".to_owned(), name: "read".to_owned(), arguments: String::new() };
    // The turn before 53, the prompt 3, the call 6, the result's own id 2.
    for (content, cut) in [(36, None), (37, Some(FIRST))] {
        let world = of_a_hundred_bytes();
        let mut conversation = world.conversation();
        let _ended = Model::new([says(&"a".repeat(50), 100)]).run(&mut conversation, "one");
        let turn = conversation.begin("two").expect("a prompt");
        let asked = turn.request(BASE, now()).expect("a request");
        assert_eq!(asked.cut(), None);
        let calls = vec![call.clone()];
        let Answered::Tools(round) = asked.answered(Response { calls, ..response("", None) })
        else {
            panic!("a call")
        };
        let result = ToolResult { id: "c1".to_owned(), content: "r".repeat(content) };
        let turn = round.results(vec![result.clone()]).expect("it fits");
        let asked = turn.request(BASE, now()).expect("a request");
        assert_eq!(asked.cut(), cut, "a result of {content} bytes");
        let live = [prompt("two"), Item::ToolCall(call.clone()), Item::ToolResult(result)];
        assert!(asked.items().ends_with(&live), "the turn that runs is whole");
        assert_eq!(asked.items().len(), if cut.is_some() { 3 } else { 5 });
    }
}
