//! The promise: each compaction begins a generation, whatever order the host does things in, and
//! each history gets the newest note once.
//!
//! Shown by walking through sessions as the hosts do, with the counts that their transcripts had at
//! each hook, and by a table of every way that a note can stand to a history.

use graff_notes::{
    host::hook::{Counted, Host, Moment, Parent, Seen, State},
    note::{Author, Note},
    units::{Bytes, Generation, Seq, Timestamp},
};

use Moment::{Between, JustCompacted};

fn counted(transcript: &str, compactions: u64) -> Counted {
    let seen = Seen {
        transcript: transcript.to_owned(),
        bytes: Bytes::new(9),
        compactions,
        summary: None,
    };
    Counted { compactions, kept: false, seen }
}

/// A hook that finds so many compactions in the transcript, and so great a generation in the log.
fn at(state: &mut State, host: Host, moment: Moment, compactions: u64, greatest: u64) -> u64 {
    state.advance(host, moment, Some(counted("t", compactions)), Generation::new(greatest)).get()
}

fn note(seq: u64, generation: u64) -> Note {
    Note {
        seq: Some(Seq::new(seq)),
        generation: Generation::new(generation),
        created_at: Timestamp::new(1_786_017_600_000 + seq),
        author: Author::Agent,
        text: "next: src/retry.rs:41".to_owned(),
        cut: Bytes::ZERO,
        sealed: true,
    }
}

#[test]
fn claude_code_calls_before_it_writes_the_compaction_down() {
    let mut state = State::default();
    assert_eq!(at(&mut state, Host::ClaudeCode, Between, 0, 0), 0, "a prompt");
    state.compacting = Some(Generation::ZERO);
    assert_eq!(at(&mut state, Host::ClaudeCode, JustCompacted, 0, 0), 1, "SessionStart(compact)");
    assert_eq!(at(&mut state, Host::ClaudeCode, JustCompacted, 0, 1), 1, "PostCompact");
    assert_eq!(at(&mut state, Host::ClaudeCode, Between, 1, 1), 1, "the next prompt");
    state.compacting = Some(Generation::new(1));
    assert_eq!(at(&mut state, Host::ClaudeCode, JustCompacted, 1, 1), 2, "the next compaction");
}

#[test]
fn a_compaction_of_which_nobody_said_that_it_comes_is_counted_after_one_of_which_it_was_said() {
    let mut state = State { compacting: Some(Generation::ZERO), ..State::default() };
    assert_eq!(at(&mut state, Host::ClaudeCode, JustCompacted, 0, 0), 1, "SessionStart(compact)");
    assert_eq!(at(&mut state, Host::ClaudeCode, Between, 1, 1), 1, "the next prompt");
    assert_eq!(state.compacting, None, "the transcript has it");
    assert_eq!(at(&mut state, Host::ClaudeCode, JustCompacted, 1, 1), 2, "PreCompact was lost");
}

#[test]
fn codex_writes_the_compaction_down_before_it_calls() {
    let mut state = State::default();
    assert_eq!(at(&mut state, Host::Codex, Between, 0, 0), 0, "PreCompact");
    state.compacting = Some(Generation::ZERO);
    assert_eq!(at(&mut state, Host::Codex, Between, 1, 0), 1, "SessionStart(resume)");
    assert_eq!(at(&mut state, Host::Codex, JustCompacted, 1, 1), 1, "SessionStart(compact)");
}

#[test]
fn where_nobody_said_that_a_compaction_comes_the_host_decides() {
    let mut claude = State::default();
    assert_eq!(at(&mut claude, Host::ClaudeCode, JustCompacted, 0, 0), 1);
    assert_eq!(at(&mut claude, Host::ClaudeCode, JustCompacted, 0, 1), 1, "twice is once");
    let mut codex = State::default();
    assert_eq!(at(&mut codex, Host::Codex, JustCompacted, 1, 0), 1);
    let mut opencode = State::default();
    assert_eq!(opencode.advance(Host::Opencode, JustCompacted, None, Generation::new(4)).get(), 5);
}

#[test]
fn a_compaction_of_which_nothing_comes_begins_no_generation() {
    let mut state = State { compacting: Some(Generation::ZERO), ..State::default() };
    assert_eq!(at(&mut state, Host::ClaudeCode, Between, 0, 0), 0);
    assert_eq!(at(&mut state, Host::Codex, Between, 0, 0), 0);
}

#[test]
fn a_session_goes_on_from_what_the_log_knows() {
    let mut state = State::default();
    assert_eq!(
        at(&mut state, Host::Codex, Between, 0, 7),
        7,
        "a fork without its parent's history"
    );
    assert_eq!(at(&mut state, Host::Codex, Between, 1, 7), 8);
    let mut lost = State::default();
    assert_eq!(at(&mut lost, Host::Codex, Between, 1, 8), 8, "the word was lost");
    assert_eq!(at(&mut lost, Host::Codex, Between, 2, 8), 9);
    let mut ahead = State::default();
    assert_eq!(at(&mut ahead, Host::Codex, Between, 0, 0), 0);
    assert_eq!(at(&mut ahead, Host::Codex, Between, 0, 50), 50, "a note was written for 50");
    assert_eq!(at(&mut ahead, Host::Codex, Between, 1, 50), 51);
}

#[test]
fn a_word_that_nothing_vouches_for_fixes_no_generation() {
    const MAX: u64 = u64::MAX;
    for word in [
        format!("{{\"generation\":{MAX}}}"),
        format!("{{\"generation\":8,\"base\":{MAX}}}"),
        format!("{{\"generation\":8,\"compacting\":{MAX}}}"),
        format!(
            "{{\"generation\":8,\"base\":7,\
             \"seen\":{{\"transcript\":\"t\",\"bytes\":9,\"compactions\":{MAX}}}}}"
        ),
    ] {
        for host in Host::ALL {
            let mut state = State::read(Some(word.as_bytes()));
            assert!(state.seen.is_none(), "{word}");
            assert!(at(&mut state, host, Between, 1, 7) <= 9, "{host}: {word}");
            assert!(at(&mut state, host, JustCompacted, 2, 8) <= 10, "{host}: {word}");
        }
    }
    let given = format!("{{\"given\":{{\"generation\":{MAX},\"seq\":1,\"created_at\":0}}}}");
    let mut state = State::read(Some(given.as_bytes()));
    let generation = Generation::new(at(&mut state, Host::Codex, Between, 0, 0));
    assert!(state.is_due(&note(1, 0), generation), "the note is given all the same");
}

#[test]
fn a_session_that_goes_on_in_another_file_keeps_its_generation() {
    let mut state = State::default();
    assert_eq!(at(&mut state, Host::Gemini, Between, 2, 0), 2);
    let mut elsewhere = |compactions| {
        let counted = Some(counted("u", compactions));
        state.advance(Host::Gemini, Between, counted, Generation::new(2)).get()
    };
    assert_eq!((elsewhere(1), elsewhere(2)), (2, 3));
}

#[test]
fn a_history_gets_a_note_once_and_another_only_if_it_is_about_what_is_gone() {
    // The history's generation, the note's number and generation, and what was given to which.
    let rows = [
        (0, (1, 0), None, true, "a session that had a note before it began"),
        (0, (1, 0), Some((1, 0)), false, "a resume"),
        (1, (1, 0), Some((1, 0)), true, "a compaction"),
        (1, (1, 0), Some((1, 1)), false, "the second hook of one request"),
        (1, (2, 0), Some((1, 1)), true, "what the summary had in it, at the next prompt"),
        (1, (2, 1), Some((1, 1)), false, "what the agent has just written"),
        (2, (2, 1), Some((1, 1)), true, "and after the next compaction"),
    ];
    for (generation, (seq, of), given, due, what) in rows {
        let mut state = State::default();
        if let Some((seq, to)) = given {
            state.give(&note(seq, 0), Generation::new(to));
        }
        assert_eq!(state.is_due(&note(seq, of), Generation::new(generation)), due, "{what}");
    }
}

#[test]
fn a_word_that_cannot_be_read_is_as_good_as_lost() {
    let mut state = State { parent: Some(Parent::Named("s0".into())), ..State::default() };
    at(&mut state, Host::Codex, Between, 3, 0);
    state.give(&note(4, 2), Generation::new(3));
    let read = State::read(Some(&state.write()));
    assert_eq!((&read.given, &read.parent, read.base), (&state.given, &state.parent, state.base));
    for junk in [&b""[..], b"{", b"[]", b"{\"generation\":\"x\"}", b"\xFF"] {
        assert_eq!(State::read(Some(junk)), State::default());
    }
    assert_eq!(State::read(Some(b"{\"newer\":1}\n")), State::default());
    assert_eq!(State::read(None), State::default());
}
