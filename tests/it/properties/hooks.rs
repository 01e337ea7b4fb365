//! What a host says to a hook, and the settings that a hook is put into, may be any bytes.

use graff_notes::{
    host::{
        hook::{self, Host, Tail},
        settings::{self, Registration},
    },
    units::Bytes,
};

const HOSTS: [Host; 5] = [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::Opencode, Host::Goose];

/// A payload of any bytes is a call or none, and a transcript's end of any bytes has a last request
/// or none.
pub(crate) fn a_payload_is_a_call_or_none(input: &[u8]) {
    for host in HOSTS {
        if let Ok(call) = hook::read(host, input) {
            let _ = (call.task(), hook::named_by_transcript(&call));
        }
    }
    let tail = Tail::of(input, Bytes::new(input.len() as u64));
    assert!(tail.lines_back().all(|line| !line.contains(&b'\n')), "lines");
    let _ = (tail.last_request(), hook::forked_from(input), hook::first_record(input));
}

/// Settings of any text get our hooks once and lose them again without a trace, or are refused.
pub(crate) fn settings_get_our_hooks_once(input: &[u8]) {
    let Ok(before) = str::from_utf8(input) else { return };
    for host in HOSTS {
        let count = Registration::of(host).len();
        if count == 0 {
            continue; // it has no such settings
        }
        let Ok(installed) = settings::install(host, before) else { continue };
        assert_eq!(settings::events(host, &installed).map(|events| events.len()), Ok(count));
        assert_eq!(settings::install(host, &installed).as_ref(), Ok(&installed), "once");
        let removed = settings::remove(host, &installed).expect("what was installed");
        assert_eq!(settings::events(host, &removed), Ok(Vec::new()));
        // Where there was a place for hooks already, it may have held some of ours.
        if !before.trim().is_empty() && !before.contains("ook") && !before.contains('\\') {
            assert_eq!(removed, before, "without a trace");
        }
    }
}
