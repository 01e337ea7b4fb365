//! Prompts that have blocks already, or something that looks like one.

use super::*;

#[test]
fn what_only_looks_like_a_block_is_text_and_stays() {
    let texts = [
        "=== graff-note begins ===\nheader\n\nnote\n==== graff-note ends ====\n",
        "=== graff-note begins ===\nheader\n\nnote\n=== graff-note ends ==\n",
        "=== graff-note begins ===\nheader\n\nnote\n=== graff-note ends === \n",
        " === graff-note begins ===\nheader\n\nnote\n=== graff-note ends ===\n",
        "=== graff-note begins === x\nheader\n\nnote\n=== graff-note ends ===\n",
        "=== graff-note begins ===\n=== graff-note ends ===\n",
        "=== graff-note begins ===\nno blank line\n=== graff-note ends ===\n",
        "=== graff-note begins ===\n\nno header\n=== graff-note ends ===\n",
        "=== graff-note begins ===\n\nno header\n\nnote\n=== graff-note ends ===\n",
        "=== graff-note begins ===\nheader\n\n=== graff-note ends ===\n",
        "=== graff-note ends ===\nheader\n\nnote\n=== graff-note begins ===\n",
        "== graff-note begins ==\nheader\n\nnote\n== graff-note ends ==\n",
        "=== graff-note begins ===\nheader\n\nnote\n",
    ];
    for text in texts {
        assert_eq!(prompt::extract(text), None, "{text}");
        assert!(matches!(prompt::strip(text), Cow::Borrowed(_)), "{text}");
        a_splice_can_be_undone_and_repeated(text, "SUBGOAL: x");
    }
}

#[test]
fn a_pair_of_fence_lines_is_judged_by_what_is_left_within_it() {
    let inner = "==== graff-note begins ====\nheader\n\nnote\n==== graff-note ends ====";
    let around = |before: &str, after: &str| {
        format!("=== graff-note begins ==={before}{inner}{after}\n=== graff-note ends ===")
    };
    let becomes_a_block = around("\n\n", "\nheader\n\nnote");
    assert_eq!(prompt::strip(&becomes_a_block), "");
    let loses_its_header = around("\n", "\n\nnote");
    let left = "=== graff-note begins ===\n\nnote\n=== graff-note ends ===";
    assert_eq!(prompt::strip(&loses_its_header), left);
    for base in [becomes_a_block, loses_its_header] {
        a_splice_can_be_undone_and_repeated(&base, "SUBGOAL: x");
    }
}

#[test]
fn stacked_blocks_are_counted_and_all_replaced() {
    let stacked = include_str!("../../../fixtures/prompts/stacked.md");
    let (session, note) = (session("s1"), note("SUBGOAL: x"));
    let block = Block::of(&session, &note, NoteCap::DEFAULT);
    assert_eq!(prompt::check(stacked, &block), Check::Stacked { blocks: 3 });
    assert_eq!(prompt::extract(stacked), Some("SUBGOAL: the newest, of rank 4"));
    assert_eq!(prompt::strip(stacked), "You are an agent.\n\nTools: all of them\n");
    assert_eq!(prompt::check(&prompt::splice(stacked, Some(&block)), &block), Check::Current);
}

#[test]
fn a_check_tells_a_missing_block_from_a_stale_one() {
    let (session, newest, older) = (session("s1"), note("SUBGOAL: b"), note("SUBGOAL: a"));
    let block = Block::of(&session, &newest, NoteCap::DEFAULT);
    let current = prompt::splice(BASE, Some(&block));
    let elsewhere = format!("{BASE}\n{block}\n");
    let table = [
        (BASE, Check::Absent),
        (&spliced(BASE, &older), Check::Stale),
        (&elsewhere, Check::Stale),
        (&current, Check::Current),
        (&format!("{current}\n\n{block}"), Check::Stacked { blocks: 2 }),
    ];
    for (prompt, verdict) in table {
        assert_eq!(prompt::check(prompt, &block), verdict, "{prompt}");
    }
}

#[test]
fn a_hostile_prompt_of_a_megabyte_is_stripped_in_one_sweep() {
    let block = |rank: usize, inside: &str| {
        let bar = "=".repeat(rank);
        format!("{bar} graff-note begins {bar}\nh\n\n{inside}\n{bar} graff-note ends {bar}")
    };
    let nested = (3..500).fold("x".to_owned(), |inside, rank| block(rank, &inside));
    let inverse = (3..500).rev().fold("x".to_owned(), |inside, rank| block(rank, &inside));
    let unopened = "=== graff-note ends ===\n".repeat(40_000);
    let unclosed = "=== graff-note begins ===\n\n".repeat(40_000);
    for (prompt, left) in
        [(&nested, ""), (&inverse, ""), (&unopened, &unopened), (&unclosed, &unclosed)]
    {
        assert!(prompt.len() > 400_000);
        assert!(prompt::strip(prompt) == *left);
    }
}

#[test]
fn what_begins_like_a_fence_or_a_heading_however_often_hides_neither() {
    for times in (0..4).chain(60..70) {
        let lead =
            ["= H", "= graff-note ", "HARD CONSTRAINTS hold\n"].map(|text| text.repeat(times));
        let base = format!("{}\nHARD CONSTRAINTS\n- a\n\nTools\n", lead.concat());
        assert!(Place::of(&base).split().0.ends_with("\nHARD CONSTRAINTS\n- a"), "{times}");
        a_splice_can_be_undone_and_repeated(&base, "SUBGOAL: x");
    }
}
