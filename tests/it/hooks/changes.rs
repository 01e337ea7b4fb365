//! The promise: whoever else writes the settings at the same moment, and whoever ends a run of ours
//! when: nothing that anybody wrote is lost, no file is ever half there, and nothing but a draft
//! stays behind, which the next run clears.
//!
//! Shown by runs at once, and under strace: it ends a run at each of its steps, and stops it at
//! each to let the settings' own program write.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write,
    os::unix::fs::{MetadataExt, chown, symlink},
    process::{Child, Command, Stdio},
    time::{Duration, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::Host;
use rustix::{
    fs::{FlockOperation, flock},
    process::{Pid, Signal, kill_process},
};

use super::{
    desk::Desk,
    installs::{home, keeps_marks},
};
use crate::support::{skipped, wait_until, world::Ran};

const SETTINGS: &str = "{\n  \"model\": \"opus\"\n}\n";

/// A home in which Claude Code and Gemini have the same settings.
fn desk() -> (Desk, Utf8PathBuf) {
    let desk = Desk::of(Host::ClaudeCode);
    let settings = desk.home().join(".gemini/settings.json");
    let folder = settings.parent().expect("a folder").to_owned();
    fs::create_dir(&folder).expect("the folder is made");
    fs::write(&settings, SETTINGS).expect("written");
    (desk.with("CLAUDE_CONFIG_DIR", folder.as_str()), settings)
}

fn run(desk: &Desk, args: &[&str]) -> Command {
    let mut command = desk.command(&[&["hooks"], args].concat());
    command.current_dir(desk.project()).stdin(Stdio::null());
    command
}

fn start(desk: &Desk, args: &[&str]) -> Child {
    run(desk, args).spawn().expect("the program starts")
}

#[track_caller]
fn done(desk: &Desk, args: &[&str]) {
    Ran::of(&mut run(desk, args)).quietly();
}

/// The same run under strace; `None` where that is not to be had.
fn traced(desk: &Desk, strace: &[&str], args: &[&str]) -> Option<Command> {
    let plain = run(desk, args);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(strace).arg(plain.get_program()).args(plain.get_args());
    command.env_clear().current_dir(desk.project()).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        command.env(name, value.expect("it is set"));
    }
    let works = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        skipped("strace is not to be had, or may not trace here");
        return None;
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

/// Every file beside the settings, with its text.
fn beside(settings: &Utf8Path) -> BTreeMap<String, String> {
    let folder = settings.parent().expect("a folder").read_dir_utf8().expect("it can be read");
    let text = |path: &Utf8Path| fs::read_to_string(path).expect("a file");
    folder.flatten().map(|it| (it.file_name().to_owned(), text(it.path()))).collect()
}

fn files(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
    texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// What the settings are once the hooks of Claude Code are in.
fn installed() -> String {
    let (desk, settings) = desk();
    done(&desk, &["install", "claude-code"]);
    fs::read_to_string(settings).expect("settings")
}

#[test]
fn of_two_installations_at_once_each_keeps_what_the_other_did() {
    for round in 0..20 {
        let (desk, settings) = desk();
        let hosts = ["claude-code", "gemini", "claude-code", "gemini"];
        for child in hosts.map(|host| start(&desk, &["install", host])) {
            Ran::of_child(child).quietly();
        }
        let found = beside(&settings);
        let text = &found["settings.json"];
        for host in ["claude-code", "gemini"] {
            let calls = text.matches(&format!("graff-notes hook {host}\"")).count();
            assert_eq!(calls, 6, "round {round}, {host}: {text}");
        }
        assert_eq!(found["settings.json.before-graff-notes"], SETTINGS, "round {round}");
        assert_eq!(found.len(), 3, "round {round}: {:?}", found.keys());
    }
}

#[test]
fn hooks_put_in_and_taken_out_at_once_are_in_or_out_and_fail_nobody() {
    for round in 0..20 {
        let desk = Desk::of(Host::ClaudeCode);
        let actions = ["install", "remove", "install", "remove"];
        for child in actions.map(|action| start(&desk, &[action, "goose"])) {
            Ran::of_child(child).quietly();
        }
        done(&desk, &["install", "goose"]);
        let hooks = desk.home().join(".agents/plugins/graff-notes/hooks/hooks.json");
        assert!(hooks.is_file(), "round {round}");
        done(&desk, &["remove", "goose"]);
        assert!(!hooks.exists(), "round {round}");
    }
}

#[test]
fn who_finds_the_folder_in_use_for_long_says_so() {
    let (desk, settings) = desk();
    let folder = File::open(settings.parent().expect("a folder")).expect("it opens");
    flock(&folder, FlockOperation::LockExclusive).expect("the lock");
    let ran = Ran::of(&mut run(&desk, &["install", "claude-code"])).ends(4);
    assert!(ran.stderr().contains("another graff-notes holds it"), "{ran}");
    assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]));
}

/// The calls by which a run changes anything.
const STEPS: [&str; 7] = ["flock", "fchmod", "write", "fsync", "renameat2", "unlink", "rmdir"];

#[test]
fn a_run_that_is_ended_at_any_step_costs_nothing_and_the_next_one_clears_up() {
    let installed = installed();
    let before = files(&[("settings.json", SETTINGS)]);
    let both = [("settings.json", &*installed), ("settings.json.before-graff-notes", SETTINGS)];
    let after = files(&both);
    let mut kills = 0;
    for (action, begin, end) in [("install", &before, &after), ("remove", &after, &before)] {
        for step in STEPS {
            for at in 1.. {
                let (desk, settings) = desk();
                if action == "remove" {
                    done(&desk, &["install", "claude-code"]);
                }
                assert_eq!(&beside(&settings), begin);
                let kill = format!("inject={step}:signal=SIGKILL:when={at}");
                let args = ["-o", "/dev/null", "-e", &kill];
                let Some(mut ran) = traced(&desk, &args, &[action, "claude-code"]) else { return };
                if ran.output().expect("it starts").status.success() {
                    break;
                }
                kills += 1;
                let said = format!("{action}, ended at {step} {at}");
                let found = beside(&settings);
                let text = &found["settings.json"];
                assert!(text == SETTINGS || *text == installed, "{said}: {text}");
                let backup = found.get("settings.json.before-graff-notes");
                assert!(backup.is_none_or(|text| text == SETTINGS), "{said}: {backup:?}");
                assert!(*text == SETTINGS || backup.is_some(), "{said}: no way back");
                done(&desk, &[action, "claude-code"]);
                assert_eq!(&beside(&settings), end, "{said}");
            }
        }
    }
    assert!(kills > 15, "{kills} steps are not all of them");
}

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
fn a_removal_of_a_whole_file_that_is_ended_at_any_step_is_ended_by_the_next() {
    for host in ["claude-code", "goose"] {
        for step in STEPS {
            for at in 1.. {
                let (desk, settings) = desk();
                fs::remove_file(&settings).expect("they were there");
                done(&desk, &["install", host]);
                let kill = format!("inject={step}:signal=SIGKILL:when={at}");
                let args = ["-o", "/dev/null", "-e", &kill];
                let Some(mut ran) = traced(&desk, &args, &["remove", host]) else { return };
                if ran.output().expect("it starts").status.success() {
                    break;
                }
                done(&desk, &["remove", host]);
                let left = home(&desk);
                assert!(left.is_empty(), "{host}, {step} {at}: {left:?}");
            }
        }
    }
}

#[test]
fn a_folder_that_is_a_link_to_nowhere_is_told_at_once() {
    let (desk, settings) = desk();
    let folder = settings.parent().expect("a folder");
    fs::remove_dir_all(folder).expect("it was there");
    symlink("nowhere", folder).expect("a link");
    let ran = Ran::of(&mut run(&desk, &["install", "claude-code"])).ends(1);
    assert!(ran.stderr().contains("it is a link that leads nowhere"), "{ran}");
}

#[test]
fn settings_keep_their_owner_or_are_left_alone() {
    let (desk, settings) = desk();
    if chown(&settings, Some(4242), Some(4343)).is_err() {
        skipped("only root gives files away");
        return;
    }
    let owner = || fs::metadata(&settings).map(|it| (it.uid(), it.gid())).expect("settings");
    let strace = ["-o", "/dev/null", "-e", "inject=fchown:error=EPERM"];
    if let Some(mut ran) = traced(&desk, &strace, &["install", "claude-code"]) {
        Ran::of(&mut ran).ends(1);
        assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]));
    }
    for action in ["install", "remove"] {
        done(&desk, &[action, "claude-code"]);
        assert_eq!(owner(), (4242, 4343), "{action}");
    }
}

#[test]
fn settings_that_are_being_written_anew_at_this_moment_are_waited_for() {
    let (desk, settings) = desk();
    // Emptied, and about to be written through the same handle: whatever took their place meanwhile,
    // what is written would go nowhere.
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

#[test]
fn a_text_is_on_disk_before_it_has_a_name_and_the_name_before_anything_builds_on_it() {
    let (desk, settings) = desk();
    for (action, expected) in [
        (
            "install",
            &[
                "fsync draft",
                "renameat2 draft backup",
                "fsync folder",
                "fsync draft",
                "renameat2 draft swap",
                "renameat2 swap settings",
                "unlink swap",
                "fsync folder",
            ][..],
        ),
        (
            "remove",
            &[
                "fsync draft",
                "renameat2 draft swap",
                "renameat2 swap settings",
                "unlink swap",
                "fsync folder",
                "unlink backup",
            ],
        ),
    ] {
        let out = desk.path().join("trace");
        let strace =
            ["-y", "-o", out.as_str(), "-e", "trace=fsync,fdatasync,renameat2,rename,unlink"];
        let Some(mut ran) = traced(&desk, &strace, &[action, "claude-code"]) else { return };
        Ran::of(&mut ran).quietly();
        let trace = fs::read_to_string(&out).expect("a trace");
        let calls: Vec<_> = trace.lines().filter_map(|line| call(line, &settings)).collect();
        assert_eq!(calls, expected, "{action}: {trace}");
    }
}

/// What a line of strace says is done to which files beside the settings.
fn call(line: &str, settings: &Utf8Path) -> Option<String> {
    let (_, rest) = line.split_once(' ')?;
    let (name, arguments) = rest.trim_start().split_once('(')?;
    let folder = settings.parent().expect("a folder").as_str();
    let on =
        arguments.split(['<', '>', '"']).filter(|it| it.starts_with(folder)).map(|path| match path
            .strip_prefix(settings.as_str())
        {
            Some("") => " settings",
            Some(".before-graff-notes") => " backup",
            Some(draft) if draft.starts_with(".graff-notes-new.") => " draft",
            Some(swap) if swap.starts_with(".graff-notes-swap.") => " swap",
            _ if path == folder => " folder",
            _ => " something else",
        });
    let said = on.fold(name.to_owned(), |said, on| said + on);
    Some(said).filter(|said| said != name) // that was elsewhere
}

#[test]
fn where_the_system_cannot_do_it_in_one_step_or_has_no_locks_it_is_done_all_the_same() {
    for injection in ["renameat2:error=EINVAL", "renameat2:error=ENOSYS", "flock:error=ENOLCK"] {
        let (desk, settings) = desk();
        let inject = format!("inject={injection}");
        let strace = ["-o", "/dev/null", "-e", &inject];
        for action in ["install", "remove"] {
            let args = [action, "claude-code"];
            let Some(mut ran) = traced(&desk, &strace, &args) else { return };
            Ran::of(&mut ran).quietly();
        }
        assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]), "{injection}");
        let nothing = Desk::of(Host::ClaudeCode);
        for action in ["install", "remove"] {
            let Some(mut ran) = traced(&nothing, &strace, &[action, "goose"]) else { return };
            Ran::of(&mut ran).quietly();
        }
        let stays = nothing.home().join(".agents").exists();
        assert!(!stays || !keeps_marks(&nothing.home()), "{injection}");
    }
}

#[test]
fn where_no_folder_can_be_marked_none_is_taken_for_ours() {
    let desk = Desk::of(Host::ClaudeCode);
    let own = desk.home().join(".claude");
    fs::create_dir(&own).expect("the folder is made");
    let strace = ["-o", "/dev/null", "-e", "inject=setxattr,getxattr:error=EOPNOTSUPP"];
    for action in ["install", "remove"] {
        let Some(mut ran) = traced(&desk, &strace, &[action, "claude-code"]) else { return };
        Ran::of(&mut ran).quietly();
    }
    assert!(own.is_dir(), "a person's own folder goes");
    assert!(home(&desk).is_empty());
}

#[test]
fn a_copy_that_may_not_be_there_after_a_loss_of_power_is_withdrawn_and_nothing_changed() {
    let (desk, settings) = desk();
    // The first is that of the text, the second that of the folder.
    let strace = ["-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=2"];
    let Some(mut ran) = traced(&desk, &strace, &["install", "claude-code"]) else { return };
    let ran = Ran::of(&mut ran).ends(1);
    assert!(ran.stderr().contains("could not sync the folder"), "{ran}");
    assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]));
}
