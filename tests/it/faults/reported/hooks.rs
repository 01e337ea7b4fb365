//! What went wrong between agents and the hooks of other programs.

use super::Row;

const PAYLOADS: &str = "hooks::reported::each_payload_that_others_tripped_over_is_answered_rightly";
const NO_PAYLOAD: &str = "hooks::misuse::what_is_no_payload_gets_silence";

/// Hooks.
pub(super) const HOOKS: &[Row] = &[
    (
        "F178",
        "hooks/reported/claude-compact.json",
        &[PAYLOADS, "hooks::splices::where_the_start_was_missed_the_next_prompt_makes_up_for_it"],
    ),
    // Reported of another program: its matcher left out compact and clear, and nothing was
    // injected. Ours calls on every source; but on a history that the user has just emptied it says
    // nothing, which is otherwise than the report would have it: who clears a history wants it
    // empty.
    (
        "F179",
        "hooks/reported/codex-clear.json",
        &[
            PAYLOADS,
            "hooks::settings::every_source_and_trigger_calls_but_the_one_before_every_request_of_gemini",
            "hooks::splices::a_history_that_is_cleared_under_its_own_name_starts_empty_and_keeps_its_notes",
        ],
    ),
    (
        "F180",
        "<a note for each host>",
        &[
            "hooks::answers::a_context_is_the_one_object_that_all_take_with_the_callers_event",
            "hooks::dry_run::a_dry_run_says_what_it_would_and_writes_nothing",
        ],
    ),
    (
        "F182",
        "hooks/reported/precompact-auto.json",
        &[PAYLOADS, "hooks::compactions::before_a_compaction_nothing_is_blocked"],
    ),
    (
        "F183",
        "<a lock that is held>",
        &["hooks::compactions::a_busy_store_does_not_hold_up_a_compaction"],
    ),
    (
        "F184",
        "<an input that stays open>",
        &["hooks::misuse::streams::an_input_that_is_held_open_is_not_waited_for"],
    ),
    ("F185", "hooks/reported/unterminated.json", &[PAYLOADS, NO_PAYLOAD]),
    ("F185", "hooks/reported/mangled.json", &[PAYLOADS, NO_PAYLOAD]),
    ("F187", "hooks/reported/no-session.json", &[PAYLOADS, NO_PAYLOAD]),
    ("F187", "hooks/reported/null-session.json", &[PAYLOADS, NO_PAYLOAD]),
    ("F187", "hooks/reported/empty.json", &[PAYLOADS, NO_PAYLOAD]),
    ("F188", "hooks/reported/traversal-session.json", &[PAYLOADS, NO_PAYLOAD]),
    ("F189", "hooks/reported/resume-new-id-1.json", &[PAYLOADS]),
    (
        "F189",
        "hooks/reported/resume-new-id-2.json",
        &[
            PAYLOADS,
            "hooks::splices::forks::a_session_that_is_resumed_under_a_new_name_goes_on_in_the_old_ones_file",
        ],
    ),
    (
        "F190",
        "hooks/reported/stop-active.json",
        &[PAYLOADS, "hooks::turns::a_stop_that_is_held_up_already_is_let_pass"],
    ),
    (
        "F191",
        "<hooks at once>",
        &[
            "hooks::splices::of_hooks_at_once_that_were_registered_twice_one_gives_it",
            "hooks::compactions::several_calls_before_one_compaction_make_one_note",
            "hooks::turns::of_two_hooks_at_once_one_asks",
        ],
    ),
    (
        "F192",
        "<a reader that is gone>",
        &[
            "hooks::misuse::streams::a_closed_stdout_is_no_reason_to_fail_and_the_note_counts_as_not_given",
        ],
    ),
    (
        "F197",
        "hooks/reported/unknown-event.json",
        &[PAYLOADS, "hooks::payloads::unknown_events_keys_and_types_ask_for_nothing"],
    ),
];
