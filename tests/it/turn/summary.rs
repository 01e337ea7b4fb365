//! The summary: what it is asked to be, what of the history it is shown, and whether it is one.

use graff_notes::{
    Conversation,
    budget::{Call, RunPool},
    conversation::{Missing, Rollover, SummaryFailure},
    turn::{
        HEADINGS, Heading, History, Item, Reasoning, Summary, SummaryLimit, SummaryRefused,
        SummaryRequest, ToolCall, ToolResult,
    },
    units::{Bytes, Calls, Tokens},
};

use super::{
    quoting::{request, with_results},
    world::{For, Model, NOTE, OVERFLOW, World, refuses, says, summary},
};

#[test]
fn each_of_the_seven_headings_begins_a_line_of_the_instruction() {
    assert_eq!(
        HEADINGS.map(Heading::as_str),
        ["TASK", "CONSTRAINTS", "DONE", "DECISIONS", "FACTS", "REMAINING", "NEXT STEP"]
    );
    let request = request(&History::new(), 0);
    let lines: Vec<_> = request.system().lines().collect();
    let places = HEADINGS.map(|heading| {
        let begins = |line: &&str| line.starts_with(&format!("{heading}: "));
        let places: Vec<_> = lines.iter().copied().enumerate().filter(|(_, l)| begins(l)).collect();
        assert_eq!(places.len(), 1, "{heading} begins one line");
        places[0].0
    });
    assert!(places.is_sorted(), "in order: {places:?}");
}

#[test]
fn each_heading_begins_a_line_however_the_text_is_wrapped() {
    let request = request(&History::new(), 0);
    for width in [20, 40, 72, 100, 200] {
        let mut wrapped = String::new();
        for line in request.system().lines() {
            let mut column = 0;
            for word in line.split(' ') {
                if column > 0 && column + word.len() > width {
                    wrapped.push('\n');
                    column = 0;
                }
                wrapped.push_str(word);
                wrapped.push(' ');
                column += word.len() + 1;
            }
            wrapped.push('\n');
        }
        for heading in HEADINGS {
            let begins = |line: &&str| {
                line.replace(' ', "").starts_with(&format!("{heading}:").replace(' ', ""))
            };
            assert_eq!(wrapped.lines().filter(begins).count(), 1, "{heading} at width {width}");
        }
    }
}

#[test]
fn asking_once_more_keeps_within_the_budget() {
    let history = with_results(&[300; 40]);
    for budget in [4_096, 8_000, 16_000] {
        let again = request(&history, budget).again(&HEADINGS);
        assert!(again.bytes() <= Bytes::new(budget), "{} of {budget}", again.bytes());
    }
}

#[test]
fn the_instruction_says_what_is_at_stake_and_asks_for_specifics() {
    let system = request(&History::new(), 0).system().to_owned();
    for words in
        ["nothing else of it survives", "paths", "commands that worked", "dead ends", "is data"]
    {
        assert!(system.contains(words), "{words}");
    }
}

#[test]
fn the_limit_in_words_is_the_limit_that_is_requested() {
    for (window, tokens) in [
        (0, 32_000),
        (1, 1),
        (2, 1),
        (3, 1),
        (63_999, 31_999),
        (64_000, 32_000),
        (200_000, 32_000),
        (1_000_000, 32_000),
    ] {
        for (reasoning, words) in [
            (Reasoning::Apart, format!("is at most {tokens} tokens;")),
            (Reasoning::Inside, format!("is at most {tokens} tokens, your reasoning included;")),
        ] {
            let limit = SummaryLimit::of(Tokens::new(window), reasoning);
            let request = SummaryRequest::new(&History::new(), limit, Bytes::MAX);
            assert_eq!(request.output_tokens_max(), Tokens::new(tokens), "window {window}");
            assert_eq!(request.system().matches(&words).count(), 1, "window {window}: {words}");
        }
    }
}

#[test]
fn headings_are_found_however_they_are_set_off() {
    for set_off in
        ["{}", "{}:", "{}: text", "## {}", "**{}**", "**{}:** text", "  {}", "3. {}", "# 1) {}:"]
    {
        let reply = HEADINGS.map(|heading| set_off.replace("{}", heading.as_str()) + "\n").concat();
        let read = Summary::read(&reply).expect("text");
        assert!(read.missing().is_empty(), "{set_off}: {:?}", read.missing());
    }
}

#[test]
fn each_missing_heading_is_named() {
    for left_out in HEADINGS {
        let lines = HEADINGS.into_iter().filter(|heading| *heading != left_out);
        let lines: Vec<_> = lines.map(|heading| format!("{heading}: x\n")).collect();
        let reply = lines.concat();
        let mid_line = format!("{reply}and {left_out}: within a line\n{left_out}S: another word");
        let lower = format!("{reply}{}: x", left_out.as_str().to_lowercase());
        for reply in [reply, mid_line, lower] {
            assert_eq!(Summary::read(&reply).expect("text").missing(), [left_out], "{reply}");
        }
    }
    assert_eq!(Summary::read("all is well").expect("text").missing(), HEADINGS);
}

#[test]
fn a_reply_that_says_nothing_is_refused_and_reasoning_is_left_out() {
    for reply in [
        "",
        " \n",
        "<think>a</think>",
        "<think>never ends",
        "\n <think>\n</think>\n \n",
        "<think>a</think><think>b</think>",
        "<think>a</think>\n<think>b",
        "<thinking>a</thinking>",
        "the user wants a summary\n</think>\n",
        "\u{feff}",
        "\u{200b}",
        "\0",
        ".",
        "```\n```",
    ] {
        assert_eq!(Summary::read(reply), Err(SummaryRefused::Empty), "{reply:?}");
    }
    let read = Summary::read("<think>DONE\n</think>\nTASK: x\n").expect("text");
    assert_eq!(read.as_str(), "TASK: x");
    assert!(read.missing().contains(&Heading::Done));
    let opened_elsewhere = format!("I sum it up.\n</think>\n\n{}", summary());
    assert_eq!(Summary::read(&opened_elsewhere).expect("text").as_str(), summary().trim());
    let its_own = format!("{}The server leaves </think> in the text.", summary());
    assert_eq!(Summary::read(&its_own).expect("text").as_str(), its_own);
}

#[test]
fn missing_headings_are_named_in_the_report() {
    let mut model = Model::new([says("done", 9_000), says(NOTE, None), says("TASK: x", None)]);
    let ended = model.run(&mut World::of_window(10_000).conversation(), "go");
    let Rollover::Performed(rolled_over) = &ended.rollover else { panic!("{}", ended.rollover) };
    assert_eq!(rolled_over.missing, HEADINGS[1..]);
    assert!(
        ended
            .rollover
            .to_string()
            .ends_with("lacks CONSTRAINTS, DONE, DECISIONS, FACTS, REMAINING, NEXT STEP")
    );
}

#[test]
fn a_strict_host_asks_once_more_and_takes_what_then_comes() {
    for (second, text, lacking) in [
        (says(&summary(), None), summary(), 0),
        (says("DONE: y", None), "TASK: x".to_owned(), 6),
        (says("DONE: y\nFACTS: z", None), "DONE: y\nFACTS: z".to_owned(), 5),
        (says("all is well", None), "TASK: x".to_owned(), 6),
        (says("", None), "TASK: x".to_owned(), 6),
        (refuses(400, OVERFLOW), "TASK: x".to_owned(), 6),
    ] {
        let mut world = World::of_window(10_000);
        world.settings.missing_headings = Missing::AskedForOnce;
        let mut conversation = world.conversation();
        let mut model =
            Model::new([says("done", 9_000), says(NOTE, None), says("TASK: x", None), second]);
        let ended = model.run(&mut conversation, "go");
        assert_eq!(model.asked_for()[2..], [For::Summary, For::Summary]);
        let (first, again) = (&model.requests[2].message, &model.requests[3].message);
        assert!(again.starts_with(first.as_str()));
        assert!(again.contains("lacked the headings CONSTRAINTS, DONE,"));
        let Rollover::Performed(rolled_over) = ended.rollover else { panic!("{}", ended.rollover) };
        assert_eq!(rolled_over.missing.len(), lacking);
        let [Item::Handoff { text: installed }] = conversation.history().items() else { panic!() };
        assert!(installed.ends_with(text.trim_end()));
    }
}

#[test]
fn a_second_request_for_a_summary_is_never_paid_from_the_reserve() {
    for (remaining, asked) in [(11, 2), (10, 1)] {
        let mut world = World::of_window(10_000);
        world.settings.missing_headings = Missing::AskedForOnce;
        let pool = RunPool::builder().cap(Calls::new(40)).build();
        for _ in 0..40 - 1 - remaining {
            drop(pool.admit(0, Call::Root).expect("calls are left"));
        }
        let mut model = Model::new([says("done", 9_000), says(NOTE, None)]);
        model.then((0..asked).map(|_| says("TASK: x", None)));
        let ended = model.run(&mut world.with_pool(pool.clone()), "go");
        assert!(ended.rollover.is_performed());
        assert_eq!(pool.remaining(), Calls::new(8), "the reserve is whole");
    }
}

#[test]
fn a_request_that_can_quote_nothing_says_so_and_is_never_made() {
    assert!(request(&with_results(&[10]), 0).quotes_nothing());
    assert!(!request(&History::new(), 0).quotes_nothing(), "there is nothing to quote");
    assert!(!request(&with_results(&[10]), 8_000).quotes_nothing());

    // So many calls of one response do not fit into any request even without what they say.
    let call = |id: usize| ToolCall {
        id: format!("c{id}"),
        name: "read".to_owned(),
        arguments: "{}".to_owned(),
    };
    let result = |id: usize| ToolResult { id: format!("c{id}"), content: "r".repeat(100) };
    let mut items: Vec<_> = (0..400).map(|id| Item::ToolCall(call(id))).collect();
    items.extend((0..400).map(|id| Item::ToolResult(result(id))));
    let mut world = World::of_window(4_000);
    world.settings.history_max = None;
    let history = History::resumed(items).expect("whole");
    let mut conversation =
        Conversation::resumed(world.notebook(RunPool::default()), world.settings, history);
    let mut model = Model::new([]);
    let ended = model.change_window(&mut conversation, 4_100);
    let Rollover::Failed(SummaryFailure::NoRoom { budget }) = ended.rollover else {
        panic!("{}", ended.rollover)
    };
    assert_eq!(budget, Bytes::new(4_096));
    assert_eq!(conversation.history().items().len(), 800, "nothing is lost");
}

#[test]
fn a_request_at_the_end_of_a_turn_in_the_smallest_window_quotes_the_history() {
    for window in [1_000, 2_000, 3_000] {
        let mut model = Model::new([says(&"z".repeat(3_000), None), says(&summary(), None)]);
        let ended = model.run(&mut World::of_window(window).conversation(), "mend the parser");
        assert!(ended.rollover.is_performed(), "{}", ended.rollover);
        let message = &model.last().message;
        assert!(message.contains("| mend the parser\n") && message.contains("| zzz"), "{message}");
    }
}

#[test]
fn a_request_at_the_end_of_a_turn_fits_into_the_window_beside_its_reply() {
    // 9,000 tokens for 36,000 bytes: four bytes a token, and 5,000 tokens are the reply's.
    let mut model = Model::new([says("done", 9_000), says(NOTE, None), says(&summary(), None)]);
    let _ended = model.run(&mut World::of_window(10_000).conversation(), &"x".repeat(36_000));
    let took = model.last().system.len() + model.last().message.len();
    assert!((15_000..=20_000).contains(&took), "{took} bytes");

    // The reply was no part of what was measured: 9,000 bytes for 9,000 tokens.
    let mut model = Model::new([says(&"y".repeat(27_000), 9_000), says(NOTE, None)]);
    model.then([says(&summary(), None)]);
    let _ended = model.run(&mut World::of_window(10_000).conversation(), &"x".repeat(9_000));
    let took = model.last().system.len() + model.last().message.len();
    assert!((4_000..=5_000).contains(&took), "{took} bytes");

    // Nobody measured: a byte counts as a token.
    let mut model = Model::new([says(&"x".repeat(36_090), None), says(&summary(), None)]);
    let _ended = model.run(&mut World::of_window(10_000).conversation(), "go");
    let took = model.last().system.len() + model.last().message.len();
    assert!((4_000..=5_000).contains(&took), "{took} bytes");
}
