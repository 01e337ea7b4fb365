//! Sessions of Claude Code.

use super::tells;

#[test]
fn a_session_of_claude_code_with_failures_a_denial_a_subagent_and_a_compaction() {
    tells(
        "claude-compacted.jsonl",
        "\
ClaudeCode 58ef3287-4e76-4508-8e7c-2dd7791a7f1a in /home/user/project
92 records, 1 compactions, input 14000, pressure 754
Last user request:
- Now document add in README.md

Open to-do items:
- in progress: Fix add in calc.py

Last commands, newest first:
- worked: ./test.sh && git add -A && git -c user.name=x -c user.email=x@x \
             commit -qm 'Fix add' && git log --oneline
- worked: for i in $(seq 1 9000); do echo line $i of a long output; done
- timed out: sleep 5
- denied: Write /opt/outside.txt
- failed: Read /nonexistent/file.txt
- failed: Edit calc.py
- exit 1: false
- exit 1: ./test.sh
- exit 1: cat /nonexistent

Files touched, newest first:
- edited: README.md
- written: CHANGES.md
- edited: calc.py

Last statement of the agent:
- After the compaction: README done.",
    );
}

#[test]
fn a_session_of_claude_code_that_was_compacted_by_a_command_of_the_user() {
    tells(
        "claude-compacted-by-hand.jsonl",
        "\
ClaudeCode c703ffec-8546-4874-8b02-b764ddef39ed in /home/user/project
39 records, 1 compactions, input 1000, pressure 309
Last user request:
- fourth prompt

Last statement of the agent:
- fake reply 3",
    );
}

#[test]
fn a_session_of_claude_code_above_90_percent_of_its_window() {
    tells(
        "claude-over-90-percent.jsonl",
        "\
ClaudeCode 2b3f5059-7399-4b49-88ab-3f4dbca8d80c in /home/user/project
86 records, 0 compactions, input 186000, pressure 4574
Last user request:
- Now document add in README.md

Open to-do items:
- in progress: Fix add in calc.py

Last commands, newest first:
- worked: ./test.sh && git add -A && git -c user.name=x -c user.email=x@x \
             commit -qm 'Fix add' && git log --oneline
- worked: for i in $(seq 1 9000); do echo line $i of a long output; done
- timed out: sleep 5
- denied: Write /opt/outside.txt
- failed: Read /nonexistent/file.txt
- failed: Edit calc.py
- exit 1: false
- exit 1: ./test.sh
- exit 1: cat /nonexistent

Files touched, newest first:
- edited: README.md
- written: CHANGES.md
- edited: calc.py

Last statement of the agent:
- README done.",
    );
}

#[test]
fn a_session_of_claude_code_with_a_to_do_list_as_a_whole() {
    tells(
        "claude-todowrite.jsonl",
        "\
ClaudeCode bfdf38b9-5147-486c-938a-06e44d38269a in /home/user/project
69 records, 0 compactions, input 67500, pressure 4057
Last user request:
- Now document add in README.md

Open to-do items:
- pending: Write docs

Last commands, newest first:
- worked: ./test.sh && git add -A && git -c user.name=x -c user.email=x@x \
             commit -qm 'Fix add' && git log --oneline
- worked: for i in $(seq 1 9000); do echo line $i of a long output; done
- timed out: sleep 5
- denied: Write /opt/outside.txt
- failed: Read /nonexistent/file.txt
- failed: Edit calc.py
- exit 1: false
- exit 1: ./test.sh
- exit 1: cat /nonexistent

Files touched, newest first:
- written: CHANGES.md
- edited: calc.py

Last statement of the agent:
- ok",
    );
}
