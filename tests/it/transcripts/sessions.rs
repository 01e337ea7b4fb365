//! Each real session tells what happened in it, and nothing else.

mod claude_code;

use graff_notes::{host::transcript::Transcript, note::NoteCap, units::Tokens};

use super::{fixture, input, read};

/// Asserts what is known of a session: its figures, and its facts as a mechanical note has them.
#[track_caller]
fn tells(name: &str, expected: &str) {
    let transcript = read(fixture(name));
    let note = transcript.facts.mechanical_note(NoteCap::DEFAULT);
    let note = note.map(|note| note.text.to_string()).unwrap_or_default();
    let facts = note.split_once("\n\n").map(|(_, facts)| facts).unwrap_or_default();
    assert_eq!(format!("{}\n{facts}", figures(&transcript)), expected, "{name}");
}

fn figures(transcript: &Transcript) -> String {
    let Transcript { form, session, cwd, window, compactions, pressure, .. } = transcript;
    let form = form.map_or("unknown".to_owned(), |form| format!("{form:?}"));
    let (session, cwd) = (session.as_deref().unwrap_or("-"), cwd.as_deref().unwrap_or("-"));
    let of_window = window.map_or(String::new(), |window| format!(" of {window}"));
    let input = input(transcript).map_or("unknown".to_owned(), |input| input.to_string());
    assert_eq!(transcript.bad_records, 0);
    format!(
        "{form} {session} in {cwd}\n\
         {} records, {compactions} compactions, input {input}{of_window}, pressure {pressure}",
        transcript.records
    )
}

#[test]
fn the_sessions_above_90_percent_are_above_it_and_the_compacted_ones_far_below() {
    let share = |name, window: Option<u64>| {
        let transcript = read(fixture(name));
        let window = transcript.window.map(Tokens::get).or(window).unwrap();
        input(&transcript).unwrap() * 100 / window
    };
    assert_eq!(share("claude-over-90-percent.jsonl", Some(200_000)), 93);
    assert_eq!(share("codex-over-90-percent.jsonl", None), 93);
    assert_eq!(share("claude-compacted.jsonl", Some(200_000)), 7);
    assert_eq!(share("codex-compacted.jsonl", None), 7);
}

#[test]
fn a_session_of_codex_with_failures_and_a_compaction() {
    tells(
        "codex-compacted.jsonl",
        "\
Codex 01a228fb-07f3-7690-b17a-cff7dee23fbe in /home/user/project
114 records, 1 compactions, input 14000 of 190000, pressure 262
Last user request:
- Now document add in README.md

Open to-do items:
- in progress: Write docs

Last commands, newest first:
- worked: cat README.md
- worked: ./test.sh && git add -A && git -c user.name=x -c user.email=x@x \
             commit -qm 'Fix add' && git log --oneline
- failed: no_such_tool
- worked: for i in $(seq 1 9000); do echo line $i of a long output; done
- exit 127: no_such_program --x
- exit 7: sleep 3; echo late; exit 7
- worked: echo written > shell.txt && sed -i 's/calc/Calc/' README.md
- worked: apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: \
             heredoc.txt\\n+by heredoc\\n*** End Patch\\nEOF
- failed: apply_patch calc.py
- exit 1: false
- exit 1: ./test.sh
- exit 1: cat /nonexistent
- worked: cat calc.py

Files touched, newest first:
- edited: README.md
- written: heredoc.txt
- written: CHANGES.md
- edited: calc.py

Last statement of the agent:
- After the compaction: README done.",
    );
}

#[test]
fn a_session_of_codex_that_the_provider_compacted() {
    tells(
        "codex-compacted-remotely.jsonl",
        "\
Codex 01a228f3-3abf-7900-a2bc-812177eeb36c in /home/user/project
35 records, 1 compactions, input 1000 of 190000, pressure 146
Last user request:
- second prompt

Last commands, newest first:
- worked: pwd

Last statement of the agent:
- fake reply 3",
    );
}

#[test]
fn a_session_of_codex_above_90_percent_of_its_window() {
    tells(
        "codex-over-90-percent.jsonl",
        "\
Codex 01a228fc-177a-7ee1-a52c-b1ca81ea619f in /home/user/project
106 records, 0 compactions, input 178000 of 190000, pressure 4503
Last user request:
- Now document add in README.md

Open to-do items:
- in progress: Write docs

Last commands, newest first:
- worked: cat README.md
- worked: ./test.sh && git add -A && git -c user.name=x -c user.email=x@x \
             commit -qm 'Fix add' && git log --oneline
- failed: no_such_tool
- worked: for i in $(seq 1 9000); do echo line $i of a long output; done
- exit 127: no_such_program --x
- exit -1: sleep 3; echo late; exit 7
- worked: echo written > shell.txt && sed -i 's/calc/Calc/' README.md
- worked: apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: \
             heredoc.txt\\n+by heredoc\\n*** End Patch\\nEOF
- failed: apply_patch calc.py
- exit 1: false
- exit 1: ./test.sh
- exit 1: cat /nonexistent
- worked: cat calc.py

Files touched, newest first:
- edited: README.md
- written: heredoc.txt
- edited: calc.py
- written: CHANGES.md

Last statement of the agent:
- README done.",
    );
}

#[test]
fn a_session_of_gemini_with_failures_and_a_compaction() {
    tells(
        "gemini-compacted.jsonl",
        "\
Gemini bb5bdfac-fe8f-45bc-9376-9d2d6cbfaa78 in -
80 records, 1 compactions, input 1000000, pressure 749
Last user request:
- Now document add in README.md

Open to-do items:
- pending: Write docs

Last commands, newest first:
- worked: ./test.sh
- failed: read_file nonexistent.txt
- failed: replace calc.py
- exit 1: false
- exit 1: ./test.sh
- exit 1: cat /nonexistent

Files touched, newest first:
- written: README.md
- written: CHANGES.md
- edited: calc.py

Last statement of the agent:
- README done.",
    );
}

#[test]
fn a_session_of_gemini_that_was_resumed_after_its_compaction() {
    tells(
        "gemini-resumed.jsonl",
        "\
Gemini 0aadc7d8-545c-4358-8e7c-7bd27cd48bb9 in -
37 records, 1 compactions, input 1000, pressure 432
Last user request:
- fourth prompt

Last commands, newest first:
- worked: pwd

Last statement of the agent:
- fake reply 5",
    );
}

#[test]
fn messages_in_the_shape_of_anthropic_in_one_array() {
    tells(
        "plain-anthropic.json",
        "\
Plain - in -
4 records, 0 compactions, input unknown, pressure 290
Last user request:
- Rename add to sum, everywhere.

Last commands, newest first:
- exit 2: write_file sum.py
- worked: grep -rn 'add(' .

Last statement of the agent:
- The disk is full.",
    );
}

#[test]
fn messages_in_the_shape_of_openai_line_by_line() {
    tells(
        "plain-openai.jsonl",
        "\
Plain - in -
10 records, 0 compactions, input 2500, pressure 16895
Last user request:
- Now compare it with this picture.

Last commands, newest first:
- outcome unknown: ./test.sh && git push
- exit 1: ./test.sh

Files touched, newest first:
- deleted: old.py
- edited: calc.py

Last statement of the agent:
- They agree.",
    );
}
