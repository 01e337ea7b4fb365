//! The promise: what the settings' own program writes at any moment stays, or is kept.
//!
//! Shown under strace, which stops a run at each of its steps to let another write.

use std::{
    fs::{self, File},
    io::Write,
    time::{Duration, SystemTime},
};

use camino::Utf8Path;
use graff_notes::host::hook::Host;
use rustix::process::{Pid, Signal, kill_process};

use super::{super::desk::Desk, SETTINGS, beside, desk, done, installed, run, traced};
use crate::support::{wait_until, world::Ran};

/// How a program writes its settings.
const WRITES: [fn(&Utf8Path, &str); 2] = [
    |settings, text| fs::write(settings, text).expect("written in place"),
    |settings, text| {
        let new = settings.with_file_name("theirs.tmp");
        fs::write(&new, text).expect("written beside");
        fs::rename(new, settings).expect("replaced");
    },
];

#[test]
fn what_the_settings_own_program_writes_at_any_step_stays() {
    const THEIRS: &str = "{\n  \"model\": \"sonnet\"\n}\n";
    let (mut stops, mut refusals) = (0, 0);
    // Settings are there and get the hooks, lose them again, or were made for them and go.
    for (action, are_there) in [("install", true), ("remove", true), ("remove", false)] {
        for write in WRITES {
            for step in ["openat", "close", "renameat2"] {
                for at in 1.. {
                    let (desk, settings) = desk();
                    if !are_there {
                        fs::remove_file(&settings).expect("they were there");
                    }
                    if action == "remove" {
                        done(&desk, &["install", "claude-code"]);
                    }
                    let (args, before) = ([action, "claude-code"], refusals);
                    let said = format!("{action}, {are_there}, stopped at {step} {at}");
                    match stopped(&desk, &settings, step, at, &args, &|| write(&settings, THEIRS)) {
                        Stopped::Unavailable => return,
                        Stopped::Never => break,
                        Stopped::AndWent { well } => refusals += u32::from(!well),
                    }
                    stops += 1;
                    let found = beside(&settings);
                    if action == "install" && refusals > before {
                        assert_eq!(found.len(), 1, "{said}: {found:?}");
                    }
                    assert!(found["settings.json"].contains("sonnet"), "{said}: {found:?}");
                    let is_draft =
                        |name: &String| name.contains("-new.") || name.contains("-swap.");
                    assert!(!found.keys().any(is_draft), "{said}: {found:?}");
                }
            }
        }
    }
    assert!(stops > 30 && refusals > 8, "{stops} stops, {refusals} times refused");
}

/// What is done while a run is stopped.
#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    Write(&'static str),
    Kill,
}

/// Stops a run behind the `at`th opening of the settings and then behind the exchange; returns
/// whether it was stopped at both.
fn stopped_twice(
    desk: &Desk,
    settings: &Utf8Path,
    at: u32,
    args: &[&str],
    meanwhile: [Meanwhile; 2],
) -> Option<bool> {
    let out = desk.path().join("trace");
    let opened = format!("inject=openat:signal=SIGSTOP:when={at}");
    let strace = ["-o", out.as_str(), "-P", settings.as_str(), "-e", &opened];
    let exchanged = ["-e", "inject=renameat2:signal=SIGSTOP:when=1"];
    let mut child =
        traced(desk, &[&strace[..], &exchanged].concat(), args)?.spawn().expect("it starts");
    for (before, meanwhile) in meanwhile.into_iter().enumerate() {
        let mut stopped = None;
        wait_until("it stops or ends", || {
            let trace = fs::read_to_string(&out).unwrap_or_default();
            let mut stops = trace.lines().filter(|it| it.ends_with("--- stopped by SIGSTOP ---"));
            stopped = stops.nth(before).map(pid);
            stopped.is_some() || child.try_wait().expect("a child").is_some()
        });
        let Some(pid) = stopped else { return Some(false) };
        let signal = match meanwhile {
            Meanwhile::Write(text) => {
                WRITES[1](settings, text);
                Signal::CONT
            }
            Meanwhile::Kill => Signal::KILL,
        };
        kill_process(pid, signal).expect("it is there");
    }
    child.wait().expect("it ends");
    Some(true)
}

#[test]
fn what_came_out_of_the_settings_is_kept_though_the_run_is_killed_or_overtaken_again() {
    const FIRST: &str = "{\n  \"model\": \"sonnet\"\n}\n";
    const SECOND: &str = "{\n  \"model\": \"haiku\"\n}\n";
    let mut alone = 0;
    for then in [Meanwhile::Kill, Meanwhile::Write(SECOND)] {
        for action in ["install", "remove"] {
            for at in 1..8 {
                let (desk, settings) = desk();
                if action == "remove" {
                    done(&desk, &["install", "claude-code"]);
                }
                let args = [action, "claude-code"];
                let both = [Meanwhile::Write(FIRST), then];
                let Some(was) = stopped_twice(&desk, &settings, at, &args, both) else { return };
                let found = beside(&settings);
                let is_first = |(_, text): (&String, &String)| text == FIRST;
                let mut places = found.iter().filter(|it| is_first(*it)).map(|(name, _)| name);
                if !was || !places.next().is_some_and(|name| name.contains("-swap.")) {
                    continue; // it had seen that text and kept a copy, or was not stopped
                }
                alone += 1;
                let said = format!("{action}, {then:?}, {at}");
                let ran = Ran::of(&mut run(&desk, &["install", "claude-code"])).quietly();
                let after = beside(&settings);
                assert!(after.iter().any(is_first), "{said}: {found:?}, then {after:?}");
                let is_left = |name: &String| name.contains("-new.") || name.contains("-swap.");
                assert!(!after.keys().any(is_left), "{said}: {after:?}");
                let name = after.iter().find(|it| is_first(*it)).expect("the text").0;
                assert!(ran.stdout().contains(name.as_str()), "{said}: {ran}");
            }
        }
    }
    assert!(alone >= 2, "{alone} times the only copy was ours to keep");
}

#[test]
fn settings_that_are_being_written_anew_at_this_moment_are_waited_for() {
    let (desk, settings) = desk();
    // Emptied, and about to be written through the same handle: whatever took their place
    // meanwhile, what is written would go nowhere.
    let mut theirs = File::create(&settings).expect("emptied");
    // Nor does it matter that their clock is ahead: so long is waited at most as for any.
    theirs.set_modified(SystemTime::now() + Duration::from_secs(600)).expect("touched");
    let out = desk.path().join("trace");
    let strace = ["-o", out.as_str(), "-P", settings.as_str(), "-e", "trace=close"];
    let Some(mut install) = traced(&desk, &strace, &["install", "claude-code"]) else { return };
    let mut child = install.spawn().expect("it starts");
    wait_until("it looks time and again", || {
        let looks = fs::read_to_string(&out).unwrap_or_default().matches("close(").count();
        looks > 2 || child.try_wait().expect("a child").is_some()
    });
    theirs.write_all(SETTINGS.as_bytes()).expect("written");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(beside(&settings)["settings.json"], installed());
    for ahead in [0, 600] {
        let emptied = File::create(&settings).expect("emptied");
        let then = SystemTime::now() + Duration::from_secs(ahead);
        emptied.set_modified(then).expect("touched");
        done(&desk, &["install", "claude-code"]); // which stay empty
        assert!(beside(&settings)["settings.json"].contains("graff-notes hook claude-code"));
    }
}

#[test]
fn a_folder_that_goes_while_its_lock_is_waited_for_is_made_anew() {
    let desk = Desk::of(Host::ClaudeCode);
    done(&desk, &["install", "goose"]);
    let plugin = desk.home().join(".agents/plugins/graff-notes/plugin.json");
    let folder = plugin.parent().expect("a folder");
    let take_out = || done(&desk, &["remove", "goose"]);
    match stopped(&desk, folder, "openat", 1, &["install", "goose"], &take_out) {
        Stopped::Unavailable => return,
        Stopped::Never => panic!("the folder is not locked"),
        Stopped::AndWent { well } => assert!(well, "it fails nobody"),
    }
    assert!(plugin.is_file());
}

/// What came of a run that was to be stopped.
enum Stopped {
    Unavailable,
    Never,
    AndWent { well: bool },
}

/// Stops a run behind the call `step` on `path` for the `at`th time, does something, and lets it go
/// on.
fn stopped(
    desk: &Desk,
    path: &Utf8Path,
    step: &str,
    at: u32,
    args: &[&str],
    meanwhile: &dyn Fn(),
) -> Stopped {
    let out = desk.path().join("trace");
    let injection = format!("inject={step}:signal=SIGSTOP:when={at}");
    let strace = ["-o", out.as_str(), "-P", path.as_str(), "-e", &injection];
    let Some(mut command) = traced(desk, &strace, args) else { return Stopped::Unavailable };
    let mut child = command.spawn().expect("it starts");
    let mut stopped = None;
    wait_until("it stops or ends", || {
        let trace = fs::read_to_string(&out).unwrap_or_default();
        stopped = trace.lines().find(|line| line.ends_with("--- stopped by SIGSTOP ---")).map(pid);
        stopped.is_some() || child.try_wait().expect("a child").is_some()
    });
    let Some(pid) = stopped else { return Stopped::Never };
    meanwhile();
    kill_process(pid, Signal::CONT).expect("it is there");
    Stopped::AndWent { well: child.wait().expect("it ends").success() }
}

/// The number that a line of strace begins with.
fn pid(line: &str) -> Pid {
    let number = line.split_whitespace().next().and_then(|number| number.parse().ok());
    number.and_then(Pid::from_raw).expect("a number")
}
