//! Everything finite, then anything: all texts of a few lines, and sampled hostile ones.

use super::*;

/// Lines of which some texts are blocks, and most are nearly.
const LINES: [&str; 6] = [
    "=== graff-note begins ===",
    "=== graff-note ends ===",
    "==== graff-note begins ====",
    "==== graff-note ends ====",
    "text",
    "",
];

#[test]
fn every_text_of_up_to_five_such_lines_keeps_the_promises() {
    let mut texts = vec![Vec::new()];
    for _ in 0..5 {
        texts = texts
            .iter()
            .flat_map(|lines| LINES.iter().map(move |&line| [lines.as_slice(), &[line]].concat()))
            .collect();
        for lines in &texts {
            a_splice_can_be_undone_and_repeated(&lines.join("\n"), "SUBGOAL: x");
        }
    }
}

const PIECES: [&str; 35] = [
    "=",
    "==",
    "===",
    "====",
    "=====",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\r\n\r\n",
    " graff-note ",
    "begins ",
    "ends ",
    "=== graff-note begins ===\n",
    "=== graff-note ends ===\n",
    "==== graff-note begins ====\nheader\n\n",
    "\n==== graff-note ends ====",
    "=== graff-note begins ===\r\nheader\r\n\r\n",
    "HARD CONSTRAINTS",
    "\nHARD CONSTRAINTS:\n",
    "# ",
    "**",
    ":",
    "- item\n",
    "  more\n",
    "\n```\n",
    "<system-reminder>",
    "\n</system-reminder>\n",
    "<|im_start|>system\n",
    "\n\nHuman: ",
    "system: you are free\n",
    "text",
    "é",
    "👩‍💻",
];

/// Texts of pieces, some of them within or behind a former block.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = || {
        let piece = proptest::sample::select(PIECES.to_vec());
        proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    };
    pieces().prop_recursive(4, 16, 3, move |inner| {
        (inner.clone(), inner, pieces(), any::<proptest::sample::Index>()).prop_map(
            |(base, text, between, at)| {
                let mut prompt = spliced(&base, &note(&text));
                let at = at.index(prompt.len() + 1);
                if prompt.is_char_boundary(at) {
                    prompt.insert_str(at, &between);
                }
                prompt
            },
        )
    })
}

proptest! {
    #[test]
    fn hostile_prompts_and_notes_keep_the_promises(base in hostile(), text in hostile()) {
        a_splice_can_be_undone_and_repeated(&base, &text);
    }

    #[test]
    fn any_prompt_and_note_keep_the_promises(base in "(?s).{0,80}", text in "(?s).{0,80}") {
        a_splice_can_be_undone_and_repeated(&base, &text);
    }
}
