#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| graff_notes_fuzz::put(input, "log_windows"));
