//! Every fault of these kinds that other projects have reported, by the number that it has in these
//! tests: what input stands for it, and which tests show what comes of it.
//!
//! Where a test makes its input itself, since it is too long or is something that happens, the row
//! says what it is in angle brackets.

mod hooks;
mod store;

use std::{collections::BTreeSet, fs, path::Path};

/// The number; the file below fixtures, or what the tests make; the tests.
type Row = (&'static str, &'static str, &'static [&'static str]);

const EACH: &str = "faults::each_damaged_log_is_read_as_far_as_it_is_whole_and_its_damage_is_named";
const WON_BACK: &str =
    "faults::win_back::whole_records_behind_a_stub_or_another_record_are_won_back_and_no_others";
const IN_A_PROMPT: &str =
    "program::fault_rows::a_note_of_any_signs_stands_in_the_prompt_once_and_can_be_taken_out";

/// Writes that were torn, cut short or refused.
const TORN: &[Row] = &[
    ("F001", "logs/torn_tail.jsonl", &[EACH]),
    ("F002", "logs/fused.jsonl", &[EACH, WON_BACK]),
    (
        "F002",
        "<two notes behind a torn one>",
        &["program::damaged::a_torn_record_costs_neither_of_two_notes_that_follow_it"],
    ),
    (
        "F003",
        "logs/no_final_newline.jsonl",
        &[
            EACH,
            "faults::an_append_behind_every_cut_of_every_fixture_costs_nothing_and_is_read",
            "crash::while_a_note_follows_a_whole_record_without_its_lf",
        ],
    ),
    (
        "F004",
        "logs/only_torn.jsonl",
        &[
            EACH,
            "program::damaged::a_log_of_one_torn_record_is_an_empty_log_and_everything_goes_on",
        ],
    ),
    ("F005", "logs/torn_in_char.jsonl", &[EACH]),
    ("F007", "logs/partial_then_full.jsonl", &[EACH]),
    (
        "F008",
        "<a limit of the file's size>",
        &[
            "real_disk::a_note_that_does_not_fit_under_the_file_size_limit_leaves_nothing",
            "failing_disk::a_write_short_by_any_length_is_taken_back_or_sealed",
        ],
    ),
    (
        "F012",
        "<a sync that fails once>",
        &[
            "real_disk::a_failed_sync_fails_the_append_and_takes_it_back",
            "failing_disk::a_failed_sync_is_never_followed_by_a_success_on_the_same_bytes",
        ],
    ),
    (
        "F013",
        "<kills at random moments>",
        &[
            "processes::every_acknowledged_note_is_there_after_five_hundred_kills_at_random_moments",
            "processes::writes::every_note_that_write_acknowledged_is_there_after_a_hundred_kills_at_random_moments",
        ],
    ),
    ("F015", "logs/nul_tail.jsonl", &[EACH]),
    ("F016", "logs/nul_then_record.jsonl", &[EACH]),
    (
        "F019",
        "<a stray byte before each note>",
        &["program::damaged::a_stray_byte_before_each_of_three_notes_costs_none_of_them"],
    ),
    (
        "F020",
        "<half a line>",
        &[
            "program::damaged::a_half_line_that_may_be_a_live_write_is_changed_by_nothing_that_reads",
        ],
    ),
];

/// Junk lines, encodings and odd files.
const JUNK: &[Row] = &[
    ("F021", "logs/bad_middle.jsonl", &[EACH]),
    ("F022", "logs/non_objects.jsonl", &[EACH]),
    ("F023", "logs/blank_lines.jsonl", &[EACH]),
    ("F024", "logs/crlf.jsonl", &[EACH]),
    (
        "F025",
        "logs/cr_only.jsonl",
        &[
            EACH,
            WON_BACK,
            "program::damaged::lines_that_end_in_cr_alone_are_named_and_a_repair_wins_them_back",
        ],
    ),
    ("F026", "logs/bom.jsonl", &[EACH]),
    (
        "F028",
        "logs/utf16.jsonl",
        &[
            EACH,
            "program::damaged::a_file_in_utf_16_holds_no_note_is_named_for_it_and_is_kept_whole",
        ],
    ),
    ("F029", "logs/unicode_breaks.jsonl", &[EACH]),
    ("F031", "logs/lone_surrogate.jsonl", &[EACH]),
    ("F033", "logs/invalid_utf8.jsonl", &[EACH]),
    ("F035", "logs/raw_nul.jsonl", &[EACH]),
    ("F035", "logs/escaped_nul.jsonl", &[EACH]),
    ("F036", "logs/conflict.jsonl", &[EACH]),
    ("F038", "logs/array_wrapped.jsonl", &[EACH]),
    ("F040", "logs/gzip_cut.jsonl", &[EACH]),
    ("F041", "logs/foreign_text.jsonl", &["faults::foreign_text_costs_its_own_lines"]),
    ("F043", "logs/two_on_a_line.jsonl", &[EACH, WON_BACK]),
    ("F045", "logs/front_missing.jsonl", &[EACH]),
    ("F046", "<400 notes of 1 KiB>", &["faults::size_never_turns_into_emptiness"]),
    (
        "F047",
        "<a line of 10 MiB>",
        &[
            "faults::an_endless_line_is_passed_over_and_counted_once",
            "faults::an_endless_line_that_never_ends_is_a_torn_tail",
            "bounds::a_line_of_10_mib_is_read_and_written_behind_within_bounds_whether_it_ends_or_not",
        ],
    ),
];

/// Good JSON, wrong record.
const WRONG: &[Row] = &[
    ("F049", "logs/foreign_session.jsonl", &[EACH]),
    ("F050", "logs/dup_key.jsonl", &[EACH]),
    ("F052", "logs/deep_200.jsonl", &[EACH]),
    ("F054", "logs/odd_numbers.jsonl", &[EACH]),
    ("F056", "logs/bad_text.jsonl", &[EACH]),
    ("F057", "logs/newer_version.jsonl", &[EACH]),
    (
        "F059",
        "logs/extra_fields.jsonl",
        &[
            EACH,
            "store::repairing::a_repair_keeps_every_good_line_byte_for_byte_and_puts_the_rest_beside_the_log",
        ],
    ),
    (
        "F060",
        "logs/dup_seq.jsonl",
        &[
            EACH,
            "program::damaged::of_two_notes_with_one_number_the_later_is_shown_and_verify_says_so",
        ],
    ),
    ("F061", "logs/seq_back.jsonl", &[EACH]),
    (
        "F063",
        "logs/future_date.jsonl",
        &[
            EACH,
            "program::damaged::a_note_from_the_future_is_not_the_newest_and_is_shown_to_be_ahead",
        ],
    ),
    ("F065", "logs/same_generation.jsonl", &[EACH]),
    ("F068", "logs/interleaved.jsonl", &[EACH]),
];

/// Names, paths, permissions and special files.
const PLACES: &[Row] = &[
    (
        "F094",
        "faults/names.json",
        &["program::fault_rows::a_session_of_any_name_is_refused_or_gets_one_file_in_the_store"],
    ),
    (
        "F102",
        "<links>",
        &[
            "hostile::a_link_is_never_followed_below_the_root",
            "program::names::a_link_in_the_logs_place_is_not_followed",
        ],
    ),
    (
        "F104",
        "<pipes>",
        &[
            "hostile::whatever_stands_at_a_place_of_the_store_is_named_and_left_alone",
            "program::names::a_pipe_in_the_logs_place_is_not_waited_for",
        ],
    ),
    (
        "F106",
        "<each umask>",
        &["hostile::permission::folders_are_0700_and_files_0600_under_any_umask"],
    ),
    (
        "F108",
        "<a folder that cannot be written to>",
        &[
            "program::damaged::in_a_folder_that_cannot_be_written_to_a_write_fails_and_prompts_and_hooks_go_on",
        ],
    ),
    ("F110", "<a folder below>", &["program::roots::notes_are_found_from_every_folder_below"]),
    (
        "F111",
        "faults/hook_cwd.jsonl",
        &["program::fault_rows::a_hook_whose_folder_is_none_goes_on_and_makes_none"],
    ),
];

/// What gets stored as a note, and how it comes into a prompt.
const NOTES: &[Row] = &[
    (
        "F159",
        "faults/replies.json",
        &["program::fault_rows::only_the_bare_word_none_says_that_there_is_no_note"],
    ),
    (
        "F160",
        "faults/long_note.txt",
        &["program::fault_rows::a_note_over_the_cap_is_cut_between_characters_and_says_so"],
    ),
    ("F164", "faults/splices.jsonl", &[IN_A_PROMPT]),
    ("F165", "faults/splices.jsonl", &[IN_A_PROMPT]),
    ("F167", "faults/splices.jsonl", &[IN_A_PROMPT]),
    ("F169", "faults/splices.jsonl", &[IN_A_PROMPT]),
    (
        "F171",
        "faults/splices.jsonl",
        &[
            IN_A_PROMPT,
            "program::fault_rows::the_same_prompt_at_another_time_is_the_same_to_the_byte",
        ],
    ),
    ("F172", "faults/splices.jsonl", &[IN_A_PROMPT]),
    (
        "F174",
        "faults/splices.jsonl",
        &["program::fault_rows::a_note_of_another_session_is_in_no_prompt"],
    ),
];

fn rows() -> impl Iterator<Item = &'static Row> {
    let of_the_store = [store::PROCESSES, store::DURABILITY, store::NAMES, store::HEALTH];
    [TORN, JUNK, WRONG, PLACES, NOTES, hooks::HOOKS].into_iter().chain(of_the_store).flatten()
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The numbers of all of them: a row that is lost is missed.
const NUMBERS: &str = "\
    F001 F002 F003 F004 F005 F007 F008 F010 F012 F013 F015 F016 F019 F020 F021 F022 F023 \
    F024 F025 F026 F028 F029 F031 F033 F035 F036 F038 F040 F041 F043 F045 F046 F047 F049 \
    F050 F052 F054 F056 F057 F059 F060 F061 F063 F065 F068 F070 F072 F073 F074 F075 F077 \
    F078 F081 F082 F084 F085 F087 F088 F089 F090 F091 F093 F094 F096 F098 F100 F102 F104 \
    F106 F108 F109 F110 F111 F159 F160 F164 F165 F167 F169 F171 F172 F174 F178 F179 F180 \
    F182 F183 F184 F185 F187 F188 F189 F190 F191 F192 F197 F199 F200 F201 F202 F205 F207 \
    F209 F210 F212 F213 F215 F217";

#[test]
fn every_reported_fault_has_its_input_and_its_tests() {
    let numbers: BTreeSet<_> = rows().map(|row| row.0).collect();
    assert_eq!(numbers, NUMBERS.split(' ').collect());
    for (number, input, tests) in rows() {
        let is_there = input.starts_with('<') || project().join("fixtures").join(input).is_file();
        assert!(is_there, "{number}: {input}");
        assert!(!tests.is_empty(), "{number}");
        for test in *tests {
            let (module, name) = test.rsplit_once("::").expect("a module and a name");
            let file = project().join("tests/it").join(module.replace("::", "/"));
            let source = fs::read_to_string(file.with_extension("rs")).unwrap_or_default();
            let is_there = source.contains(&format!("#[test]\nfn {name}() {{"));
            assert!(is_there, "{number}: there is no test {test}");
        }
    }
}

#[test]
fn every_input_of_a_reported_fault_that_is_no_log_is_in_the_table() {
    let named: BTreeSet<_> = rows().filter_map(|row| row.1.strip_prefix("faults/")).collect();
    let folder = fs::read_dir(project().join("fixtures/faults")).expect("a folder");
    for file in folder.flatten() {
        let name = file.file_name().into_string().expect("UTF-8");
        assert!(named.contains(name.as_str()), "{name}");
    }
}
