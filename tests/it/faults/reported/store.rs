//! What went wrong where many processes write, where power or a call fails, and where damage was
//! looked for or mended.

use super::{EACH, Row};

const KEPT: &str = "store::repairing::a_repair_keeps_every_good_line_byte_for_byte_and_puts_the_rest_beside_the_log";
const AS_IT_SAID: &str = "store::repairing::verify_says_of_each_finding_in_every_fixture_what_a_repair_then_does_with_its_line";
const FAILED_REPAIR: &str =
    "store::repairing::a_repair_that_fails_changes_neither_the_log_nor_what_earlier_ones_took_out";
const REPAIR_IN_ORDER: &str =
    "real_disk::order::a_repair_syncs_both_files_before_the_rename_and_the_folder_after_it";

/// Several processes, and locks.
pub(super) const PROCESSES: &[Row] = &[
    (
        "F070",
        "<eight writers and a reader>",
        &[
            "processes::eight_processes_write_two_hundred_notes_each_and_a_reader_never_sees_half_a_record",
        ],
    ),
    (
        "F072",
        "<a repair beside an append>",
        &["store::together::a_repair_or_forget_and_an_append_never_cost_each_other_anything"],
    ),
    (
        "F073",
        "<a child that outlives who started it>",
        &[
            "processes::locking::a_program_started_in_the_middle_of_an_append_inherits_no_file_of_the_store",
            "processes::locking::a_child_that_outlives_who_took_the_lock_keeps_it_and_that_is_said",
        ],
    ),
    (
        "F074",
        "<a process whose number changes>",
        &[
            "real_disk::forked::a_child_gives_no_lock_back_that_its_parent_took_and_writes_under_one_of_its_own",
        ],
    ),
    (
        "F075",
        "<a lock file that is replaced>",
        &[
            "processes::locking::of_two_lock_files_only_the_one_that_the_path_names_counts",
            "processes::locking::who_waits_for_a_lock_file_that_is_replaced_goes_on_with_the_new_one",
        ],
    ),
    (
        "F077",
        "<a holder that is killed; numbers in a lock file>",
        &[
            "processes::locking::a_holder_is_named_and_when_it_is_killed_its_lock_is_free",
            "processes::locking::what_stands_in_a_lock_file_holds_nothing_and_stays_there",
        ],
    ),
    (
        "F078",
        "<a lock that is held>",
        &[
            "store::waiting::a_writer_tries_no_longer_than_its_patience_lasts_and_a_hook_half_a_second",
            "store::waiting::a_reader_of_whole_lines_and_one_of_the_list_try_for_no_lock",
            "program::statuses::busy_is_4_and_names_the_holder",
        ],
    ),
    (
        "F081",
        "<a lock that fails with each errno>",
        &[
            "real_disk::where_there_are_no_locks_nothing_is_written_and_that_is_said",
            "real_disk::a_lock_that_fails_for_another_reason_is_not_called_unsupported",
        ],
    ),
    (
        "F082",
        "<a lock that is a folder, may not be opened, is held>",
        &[
            "program::names::a_lock_that_is_a_folder_or_may_not_be_opened_keeps_writers_out_in_words_and_no_reader",
            "program::statuses::busy_is_4_and_names_the_holder",
        ],
    ),
    (
        "F084",
        "<a store that is removed>",
        &[
            "store::a_kept_handle_writes_to_what_the_path_names_at_that_moment",
            "mcp::tools::a_store_that_is_removed_meanwhile_is_made_anew_by_the_next_note",
        ],
    ),
    (
        "F085",
        "<threads with one handle and with two>",
        &["processes::sixty_four_threads_share_a_handle_and_one_has_its_own"],
    ),
    (
        "F087",
        "<a log that is cut under who reads it>",
        &[
            "store::reading::a_reader_under_whom_the_log_is_cut_begins_again",
            "store::reading::a_log_that_is_cut_short_under_a_replay_is_not_called_whole",
        ],
    ),
];

/// What is durable, and what replaces what.
pub(super) const DURABILITY: &[Row] = &[
    (
        "F010",
        "<a note that was refused, then one that was not>",
        &[
            "failing_disk::every_operation_can_fail_once_and_the_error_says_which_and_why",
            "real_disk::a_full_disk_costs_only_the_notes_that_it_refused",
        ],
    ),
    (
        "F088",
        "<a new store, a repair>",
        &[
            "real_disk::order::the_folders_of_a_new_store_are_durable_before_the_first_byte_and_the_first_byte_after",
            REPAIR_IN_ORDER,
        ],
    ),
    ("F089", "<a repair>", &[REPAIR_IN_ORDER, "crash::while_a_log_is_repaired"]),
    (
        "F090",
        "<a repair of which each call fails>",
        &[FAILED_REPAIR, "real_disk::a_repair_whose_calls_fail_leaves_the_log_as_it_was"],
    ),
    (
        "F091",
        "<leftovers of an editor and of a repair>",
        &[
            "store::reading::the_sessions_are_those_with_a_log_and_no_leftover_counts",
            "store::repairing::what_a_repair_left_that_did_not_come_to_its_end_blocks_nothing",
        ],
    ),
    (
        "F093",
        "<a log that was taken away from what stands beside it>",
        &["store::what_stands_beside_a_log_that_is_gone_brings_no_note_back"],
    ),
];

/// Names that a file system does something to, and stores under version control.
pub(super) const NAMES: &[Row] = &[
    (
        "F096",
        "faults/names.json",
        &[
            "names::a_device_of_windows_loses_its_first_letter_to_an_escape",
            "program::fault_rows::a_session_of_any_name_is_refused_or_gets_one_file_in_the_store",
        ],
    ),
    (
        "F098",
        "faults/names.json",
        &[
            "names::every_character_of_the_basic_plane_is_refused_or_safe_wherever_it_stands",
            "hostile::names::names_that_a_file_system_could_fold_share_no_record",
        ],
    ),
    ("F100", "faults/names.json", &["names::the_encoded_form_decides_how_long_a_name_may_be"]),
    (
        "F109",
        "<a new store>",
        &["store::a_new_store_keeps_itself_out_of_version_control_and_an_old_one_is_left_as_it_is"],
    ),
];

/// Looking for damage, and mending it.
pub(super) const HEALTH: &[Row] = &[
    (
        "F199",
        "<each fixture>",
        &[
            "faults::a_log_is_in_order_unless_a_line_is_bad_foreign_or_torn_or_a_seq_comes_twice_or_goes_back",
            "program::statuses::damage::damage_is_5_and_stays_readable",
        ],
    ),
    ("F200", "<each fixture>", &[EACH, AS_IT_SAID]),
    ("F201", "logs/bad_middle.jsonl", &[KEPT, AS_IT_SAID]),
    (
        "F202",
        "logs/foreign_text.jsonl",
        &[KEPT, "program::verifying::what_a_repair_leaves_is_said_and_where_what_it_took_out_is"],
    ),
    (
        "F205",
        "<reads that fail, a lock that is held>",
        &[
            "real_disk::a_read_that_fails_is_not_taken_for_damage",
            "real_disk::a_log_that_the_program_cannot_read_is_an_error_and_its_exit_status_not_that_of_damage",
            FAILED_REPAIR,
        ],
    ),
    ("F207", "<each fixture>", &[AS_IT_SAID, EACH]),
    ("F209", "<each fixture>", &[AS_IT_SAID, KEPT]),
    (
        "F210",
        "<a server from its first byte to its last>",
        &["mcp::messages::stdout_has_messages_alone_from_the_first_byte_to_the_last"],
    ),
    (
        "F212",
        "<a session that is not there>",
        &[
            "program::statuses::nothing_there_is_3_and_makes_nothing",
            "hostile::what_is_refused_for_want_of_a_session_leaves_nothing_behind",
        ],
    ),
    ("F213", "logs/first_bad.jsonl", &[EACH]),
    (
        "F215",
        "<each fixture as a session>",
        &["program::answers::list_tells_every_session_also_what_cannot_be_read"],
    ),
    (
        "F217",
        "<a damaged log>",
        &[
            "store::reading::reading_leaves_no_trace",
            "program::damaged::a_half_line_that_may_be_a_live_write_is_changed_by_nothing_that_reads",
        ],
    ),
];
