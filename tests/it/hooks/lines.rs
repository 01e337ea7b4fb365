//! The promise: whatever line in an agent's settings would call our hook counts as there, so that
//! no event is answered twice; what keeps nothing doesn't count; and nothing is taken out but what
//! was put in.
//!
//! Shown on lines as people write them, one at a time, by what `status`, `install` and `remove`
//! make of each.

use graff_notes::host::{
    hook::Host,
    settings::{Registration, Sort, found, install, remove},
};
use serde_json::json;

/// Lines that call the hook of Claude Code.
const OWN: &[&str] = &[
    "graff-notes hook claude",
    "graff-notes hook claude-code --percent 60",
    "graff-notes hook --percent 60 claude-code",
    "graff-notes --root /srv/x hook claude-code",
    "/opt/bin/graff-notes hook claude-code",
    "GRAFF_PERCENT=60 X='a b' graff-notes hook claude-code",
    "'/opt/my tools/graff-notes' hook claude-code",
    "\"$HOME/my tools/graff-notes\" hook \"claude-code\" --percent 60",
    "/opt/my\\ tools/graff-notes hook claude-code",
    "cd x && graff-notes hook claude-code",
    "cd x; graff-notes hook claude-code || true",
    "cat | graff-notes hook claude-code 2>/dev/null",
    "graff-notes hook claude-code >>/tmp/log 2>&1 &",
    "</dev/stdin graff-notes hook claude-code",
    "(cd x && graff-notes hook claude-code)",
    "{ graff-notes hook claude-code; }",
    "if [ -d .git ]; then graff-notes hook claude-code; fi",
    "! graff-notes hook claude-code",
    "cd x &&\\\n  graff-notes hook claude-code # mine",
    "graff-notes \\\n  hook claude-code",
    "graff-\\\nnotes hook \\\nclaude-code \\\n",
    "sh -c 'graff-notes \\\n hook claude-code'",
    "sh -c \"graff-notes \\\n hook claude-code\"",
    "env X=y graff-notes hook claude-code",
    "/usr/bin/env graff-notes hook claude-code",
    "/usr/bin/env -i HOME=/root bash -c 'graff-notes hook claude-code'",
    "exec graff-notes hook claude-code",
    "timeout -k 1 5 nice -n 5 graff-notes hook claude-code",
    "sh -c 'graff-notes hook claude-code'",
    "bash -lc \"cd x && exec '/opt/bin/graff-notes' hook claude-code\"",
    "eval \"graff-notes hook\" claude-code",
    "printf %s \"$(graff-notes hook claude-code)\"",
    "$(command -v graff-notes || echo graff-notes) hook claude-code",
    "`which graff-notes` hook claude-code",
    "graff-notes hook claude-code --dry-run; graff-notes hook claude-code",
];

/// Lines that call it, and of which nothing comes.
const TRIALS: &[&str] = &[
    "graff-notes hook claude-code --dry-run",
    "graff-notes hook --dry-run claude-code",
    "cd x && graff-notes hook claude-code --dry-run",
    "sh -c 'graff-notes hook claude-code --dry-run'",
];

/// Lines that do not call it.
const OTHERS: &[&str] = &[
    "graff-notes hook codex",
    "graff-notes hook",
    "graff-notes",
    "graff-notes show hook claude-code",
    "graff-notes hook claude-code --help",
    "graff-notes --version hook claude-code",
    "echo graff-notes hook claude-code",
    "echo \"&& graff-notes hook claude-code\"",
    "# graff-notes hook claude-code",
    "true # && graff-notes hook claude-code",
    "say done > graff-notes hook claude-code",
    "graff-notes-like hook claude-code",
    "bash graff-notes hook claude-code",
    "env | grep x",
    "X=1",
    "",
    "'graff-notes hook claude-code'",
    "sh -c",
    "sh -c 'echo graff-notes hook claude-code'",
];

const OURS: &str = "graff-notes hook claude-code";

/// Settings with this line on the event `Stop`.
fn with(line: &str) -> String {
    let handler = json!({"type": "command", "command": line});
    json!({"hooks": {"Stop": [{"hooks": [handler]}]}}).to_string()
}

/// What the line on `Stop` is taken for, and what `install` adds there and `remove` leaves.
#[track_caller]
fn taken_for(line: &str) -> Option<Sort> {
    let before = with(line);
    let sort = found(Host::ClaudeCode, &before).expect("settings").pop().map(|it| it.sort);
    let after = install(Host::ClaudeCode, &before).expect("settings");
    let counts = matches!(sort, Some(Sort::Installed | Sort::Own));
    let added = Registration::of(Host::ClaudeCode).len() - usize::from(counts);
    let calls = format!("\"command\": \"{OURS}\"");
    assert_eq!(after.matches(&calls).count(), added, "{line}: {after}");
    let left = remove(Host::ClaudeCode, &after).expect("settings");
    let expected = if sort == Some(Sort::Installed) { "{}" } else { &*before };
    assert_eq!(left, expected, "{line}");
    sort
}

#[test]
fn a_line_that_would_call_us_counts_and_is_left_to_whoever_wrote_it() {
    for line in OWN {
        assert_eq!(taken_for(line), Some(Sort::Own), "{line}");
    }
}

#[test]
fn a_trial_does_not_count() {
    for line in TRIALS {
        assert_eq!(taken_for(line), Some(Sort::Trial), "{line}");
    }
}

#[test]
fn a_line_that_calls_nobody_or_another_is_none_of_ours() {
    for line in OTHERS {
        assert_eq!(taken_for(line), None, "{line}");
    }
    let prompt = with(OURS).replace(r#""type":"command""#, r#""type":"prompt""#);
    assert_eq!(found(Host::ClaudeCode, &prompt), Ok(Vec::new()), "{prompt}: that is no command");
}

#[test]
fn the_line_that_is_put_in_is_taken_out_whatever_else_its_hook_says() {
    assert_eq!(taken_for(OURS), Some(Sort::Installed));
    let slow = with(OURS).replace(r#""type""#, r#""timeout":99,"type""#);
    assert_eq!(remove(Host::ClaudeCode, &slow).as_deref(), Ok("{}"), "{slow}");
}

#[test]
fn a_line_is_named_by_its_event_its_number_and_its_program() {
    let before = "{\"hooks\": {\"Stop\": [\n  {\"hooks\": [{\"command\": \"say done\"},\n    \
                  {\"command\":\n\"cd x && /opt/graff-notes hook codex\"}]}]}}";
    let found = found(Host::Codex, before).expect("settings").pop().expect("a hook");
    assert_eq!((found.event.as_str(), found.group, found.handler), ("Stop", 0, 1));
    assert_eq!((found.line, found.program.as_str()), (4, "/opt/graff-notes"));
    assert_eq!(found.command, "cd x && /opt/graff-notes hook codex");
}

#[test]
fn a_line_that_is_nested_without_end_is_nobodys() {
    for piece in ["eval ", "env ", "sh -c \"", "exec time ! "] {
        let line = piece.repeat(100_000) + OURS;
        assert_eq!(taken_for(&line), None, "{piece}");
    }
}

/// Whether a line counts that has this matcher.
#[track_caller]
fn counts(host: Host, event: &str, matcher: &str) -> bool {
    let handler = json!({"type": "command", "command": format!("graff-notes hook {host}")});
    let group = json!({"matcher": matcher, "hooks": [handler]});
    let before = json!({"hooks": {event: [group]}}).to_string();
    let found = found(host, &before).expect("settings").pop().expect("a line");
    let after = install(host, &before).expect("settings");
    let added = after.matches("\"command\": \"graff-notes").count();
    let wanted = Registration::of(host);
    let expected = wanted.iter().filter(|it| !found.acts() || it.event != event).count();
    assert_eq!(added, expected, "{host} {event} {matcher:?}: {after}");
    assert_eq!(found.only.as_deref(), (!found.acts()).then_some(matcher), "{host} {event}");
    found.acts()
}

#[test]
fn a_line_counts_where_its_matcher_leaves_it_all_of_the_event_that_we_answer() {
    use Host::{ClaudeCode, Codex, Gemini};
    for host in [ClaudeCode, Codex, Gemini] {
        for Registration { event, .. } in Registration::of(host) {
            assert!(counts(host, event, "") && counts(host, event, "*"), "{host} {event}");
        }
    }
    for (host, event, matcher) in [
        (ClaudeCode, "SessionStart", "startup|resume|clear|compact|fork"),
        (Codex, "SessionStart", "^(compact|fork|startup|resume|clear)$"),
        (ClaudeCode, "PreCompact", "auto|manual"),
        (ClaudeCode, "PostCompact", "manual|auto|more"),
        (ClaudeCode, "SessionEnd", ".*"),
        (ClaudeCode, "Stop", "never"),
        (Codex, "UserPromptSubmit", "never"),
        (Gemini, "PreCompress", "manual"),
        (Gemini, "AfterTool", ".*"),
    ] {
        assert!(counts(host, event, matcher), "{host} {event} {matcher}");
    }
    for (host, event, matcher) in [
        (ClaudeCode, "SessionStart", "startup"),
        (ClaudeCode, "SessionStart", "startup|resume|clear|compact"),
        (Codex, "SessionStart", "^start"),
        (ClaudeCode, "PreCompact", "manual"),
        (Codex, "PreCompact", "automatic|manual"),
        (ClaudeCode, "SessionEnd", "clear|logout"),
        (Gemini, "PreCompress", "auto"),
        (Gemini, "PreCompress", ".*"),
        (Gemini, "AfterTool", "run_shell_command"),
        (Gemini, "BeforeAgent", "x"),
    ] {
        assert!(!counts(host, event, matcher), "{host} {event} {matcher}");
    }
    let strange = with(OURS).replace("{\"hooks\":[", "{\"matcher\":7,\"hooks\":[");
    let strange = strange.replace("Stop", "PreCompact");
    let found = found(ClaudeCode, &strange).expect("settings").pop().expect("a line");
    assert_eq!(found.only.as_deref(), Some("7"), "{strange}");
}
