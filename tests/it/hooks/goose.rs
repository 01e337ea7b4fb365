//! The promise: the file that goose reads before each turn holds the newest note of the session
//! that is at work, beside the person's own words, and no note that was taken out or forgotten.
//!
//! Shown by payloads of goose's shape.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::Write as _,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    process::{Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{host::hook::Host, prompt::extract};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::desk::Desk;
use crate::support::{
    found::{in_time, put, was_late},
    skipped,
    world::Ran,
};

const NOTE: &str = "[Subgoal] make <b>retry_test</b> green\n\t\"src/retry.rs:41\" \u{1F980}";

#[test]
fn the_file_that_goose_reads_has_the_sessions_note_beside_the_users_words() {
    let desk = Desk::of(Host::Goose);
    let moim = desk.path().join("moim.md");
    let root = desk.project();
    let desk =
        desk.with("GOOSE_MOIM_MESSAGE_FILE", moim.as_str()).with("GRAFF_ROOT", root.as_str());
    let call = |session: &str| {
        let payload = json!({"event": "UserPromptSubmit", "session_id": session});
        assert_eq!(desk.fed(payload.to_string()).quietly().stdout(), "");
        fs::read_to_string(&moim).unwrap_or_default()
    };
    fs::write(&moim, "Be brief.\n").expect("written");
    assert_eq!(call("s1"), "Be brief.\n");
    desk.writes("s1", NOTE);
    let with_note = call("s1");
    assert_eq!(extract(&with_note), Some(NOTE));
    assert!(with_note.starts_with("Be brief.\n"), "{with_note}");
    assert_eq!(call("s1"), with_note);
    assert_eq!(call("s2"), "Be brief.\n", "another session sees nothing of it");
}

/// A desk of goose whose session s1 has a note, and the file that goose reads there.
fn goose() -> (Desk, Utf8PathBuf) {
    let desk = Desk::of(Host::Goose);
    desk.writes("s1", NOTE);
    let (moim, root) = (desk.path().join("moim.md"), desk.project());
    let desk =
        desk.with("GOOSE_MOIM_MESSAGE_FILE", moim.as_str()).with("GRAFF_ROOT", root.as_str());
    (desk, moim)
}

fn prompted(desk: &Desk) -> Ran {
    desk.fed(json!({"event": "UserPromptSubmit", "session_id": "s1"}).to_string())
}

#[test]
fn what_a_person_appends_to_the_file_stands_beside_the_note_and_not_in_it() {
    for words in ["", "Be brief.\n", "Be brief."] {
        let (desk, moim) = goose();
        fs::write(&moim, words).expect("written");
        prompted(&desk).quietly();
        let mut file = OpenOptions::new().append(true).open(&moim).expect("the file");
        file.write_all(b"Ask before you push.\n").expect("appended");
        desk.writes("s1", "The next step is src/retry.rs:41, and then the tests.");
        prompted(&desk).quietly();
        let with_note = fs::read_to_string(&moim).expect("the file");
        assert_eq!(with_note.matches("graff-note begins").count(), 1, "{with_note}");
        assert!(with_note.contains("Ask before you push.\n"), "{with_note}");
        Ran::of(&mut desk.command(&["forget", "s1", "--yes"])).ends(0);
        let left = fs::read_to_string(&moim).expect("the file");
        assert_eq!(left, format!("{words}Ask before you push.\n"), "byte for byte");
    }
}

#[test]
fn once_the_note_is_out_the_persons_bytes_are_as_they_were() {
    let constraints = "## HARD CONSTRAINTS\n- never push";
    let behind = format!("{constraints}\n\n## More\nBe brief.");
    for words in [
        "\n",
        "\n\n",
        "Be brief.",
        "Be brief.\n",
        "Be brief.\n\n",
        "\nBe brief.",
        "\n\n\nBe brief.\n",
        "\n= a =",
        "\n\n= a =",
        "Be brief.\r\n",
        "Be brief.\r",
        " ",
        constraints,
        &behind,
    ] {
        let (desk, moim) = goose();
        fs::write(&moim, words).expect("written");
        for note in [NOTE, "The next step is src/retry.rs:41, and then the tests."] {
            desk.writes("s1", note);
            prompted(&desk).quietly();
            let with_note = fs::read_to_string(&moim).expect("the file");
            assert_eq!(extract(&with_note), Some(note), "{words:?}: {with_note}");
            let appended = format!("{with_note}Ask before you push.");
            assert_eq!(extract(&appended), Some(note), "{words:?}: that stands beside the block");
            prompted(&desk).quietly();
            assert_eq!(fs::read_to_string(&moim).expect("the file"), with_note, "{words:?}");
        }
        Ran::of(&mut desk.command(&["hooks", "remove", "goose"])).ends(0);
        assert_eq!(fs::read_to_string(&moim).expect("the file"), words);
    }
}

#[test]
fn what_is_not_utf8_in_the_file_that_goose_reads_stays_byte_for_byte() {
    let (desk, moim) = goose();
    let words = b"Sois bref, caf\xE9 compris.\n\xFF\x00\n";
    fs::write(&moim, words).expect("written");
    fs::set_permissions(&moim, Permissions::from_mode(0o640)).expect("a mode");
    prompted(&desk).quietly();
    let with_note = fs::read(&moim).expect("the file");
    assert!(with_note.starts_with(words), "{}", with_note.escape_ascii());
    assert_eq!(extract(&String::from_utf8_lossy(&with_note)), Some(NOTE));
    let mode = fs::metadata(&moim).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "it keeps its rights");
    Ran::of(&mut desk.command(&["hooks", "remove", "goose"])).ends(0);
    assert_eq!(fs::read(&moim).expect("the file"), words);
}

#[test]
fn what_cannot_be_read_as_the_file_that_goose_reads_is_left_alone_with_a_word() {
    let (desk, moim) = goose();
    let pipe = || mknodat(CWD, moim.as_std_path(), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let large = || fs::write(&moim, vec![b'x'; 1024 * 1024 + 1]).expect("written");
    let folder = || fs::create_dir(&moim).expect("a folder");
    let link = || symlink("nowhere", &moim).expect("a link");
    let things: [(&dyn Fn(), &str); 4] = [
        (&pipe, "it is no plain file"),
        (&large, "it is too large"),
        (&folder, "it is no plain file"),
        (&link, "No such file"),
    ];
    for (put, words) in things {
        put();
        let before = fs::symlink_metadata(&moim).expect("a thing");
        let ran = prompted(&desk);
        assert_eq!(ran.stdout(), "");
        assert!(ran.stderr().contains(words), "{words}: {ran}");
        let after = fs::symlink_metadata(&moim).expect("a thing");
        assert_eq!((before.ino(), before.len()), (after.ino(), after.len()), "{words}");
        let _ = fs::remove_file(&moim).or_else(|_| fs::remove_dir(&moim));
    }
}

/// The calls by which a hook changes anything.
#[cfg(target_os = "linux")]
const STEPS: [&str; 9] =
    ["flock", "fchmod", "write", "fsync", "linkat", "rename", "renameat2", "unlink", "close"];

#[cfg(target_os = "linux")]
#[test]
fn a_hook_that_is_ended_at_any_step_costs_no_words_and_the_next_one_clears_up() {
    let works = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        return skipped("strace is not to be had, or may not trace here");
    }
    let mut kills = 0;
    for step in STEPS {
        for at in 1.. {
            let (desk, moim, ran) = in_time(|| {
                let (desk, moim, ran) = killed_at(step, at);
                (!ran.gave_up()).then_some((desk, moim, ran))
            });
            if ran.has_status(0) {
                break;
            }
            kills += 1;
            let found = fs::read_to_string(&moim).expect("the file");
            assert!(found.starts_with("Be brief.\n"), "{step} {at}: {found}");
            assert!(extract(&found).is_some(), "{step} {at}: {found}");
            desk.writes("s1", "A third note, which changes the file again.");
            prompted(&desk).quietly();
            let found = fs::read_to_string(&moim).expect("the file");
            assert_eq!(extract(&found), Some("A third note, which changes the file again."));
            let folder = moim.parent().expect("a folder");
            let names: Vec<_> = folder.read_dir_utf8().expect("a folder").flatten().collect();
            assert_eq!(names.len(), 1, "{step} {at}: {names:?}");
        }
    }
    assert!(kills > 5, "{kills} steps are not all of them");
}

/// A hook that changes the note in the file that goose reads, and is ended at this call.
#[cfg(target_os = "linux")]
fn killed_at(step: &str, at: u32) -> (Desk, Utf8PathBuf, Ran) {
    let (desk, moim) = goose();
    let folder = desk.path().join("of-goose");
    fs::create_dir(&folder).expect("a folder");
    let moim = folder.join(moim.file_name().expect("a name"));
    let desk = desk.with("GOOSE_MOIM_MESSAGE_FILE", moim.as_str());
    fs::write(&moim, "Be brief.\n").expect("written");
    prompted(&desk).quietly();
    desk.writes("s1", "The next step is src/retry.rs:41, and then the tests.");
    let kill = format!("inject={step}:signal=SIGKILL:when={at}");
    let paths = ["moim.md", "moim.md.graff-notes-new.1", "moim.md.graff-notes-swap.1"];
    let paths: Vec<_> = paths.map(|name| folder.join(name)).into_iter().chain([folder]).collect();
    let paths = paths.iter().flat_map(|path| ["-P", path.as_str()]);
    let hook = desk.command(&["hook", "goose"]);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &kill]).args(paths);
    traced.arg(hook.get_program()).args(hook.get_args()).env_clear();
    traced.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
    traced.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = traced.current_dir(desk.path()).spawn().expect("strace starts");
    let payload = json!({"event": "UserPromptSubmit", "session_id": "s1"}).to_string();
    let written = child.stdin.take().expect("a pipe").write_all(payload.as_bytes());
    written.expect("it reads");
    (desk, moim, Ran::of_child(child))
}

#[test]
fn removing_the_hooks_of_goose_takes_the_note_out_of_the_file_that_it_reads() {
    let (desk, moim) = goose();
    for (before, after) in [(None, None), (Some("Be brief.\n"), Some("Be brief.\n"))] {
        if let Some(before) = before {
            fs::write(&moim, before).expect("written");
        }
        Ran::of(&mut desk.command(&["hooks", "install", "goose"])).ends(0);
        prompted(&desk).quietly();
        assert_eq!(extract(&fs::read_to_string(&moim).expect("the file")), Some(NOTE));
        let ran = Ran::of(&mut desk.command(&["hooks", "remove", "goose"])).ends(0);
        assert!(ran.stdout().contains(&format!("removed from\t{moim}")), "{ran}");
        assert_eq!(fs::read_to_string(&moim).ok().as_deref(), after);
    }
}

#[test]
fn while_other_hooks_of_goose_stay_nobody_says_that_the_note_is_out_of_the_file() {
    let (desk, moim) = goose();
    let root = desk.project().to_string();
    let said = |args: &[&str]| {
        let args = [&["hooks"], args, &["--root", &root]].concat();
        Ran::of(&mut desk.command(&args)).ends(0).stdout().to_owned()
    };
    said(&["install", "goose"]);
    said(&["install", "goose", "--project"]);
    prompted(&desk).quietly();
    let is_out = "The note is out of the file that goose reads; take GOOSE_MOIM_MESSAGE_FILE out";
    let removed = said(&["remove", "goose", "--project"]);
    assert!(!removed.contains(is_out), "{removed}");
    assert!(removed.ends_with("Notes that were kept stay: `graff-notes list` shows them.\n"));
    assert_eq!(extract(&fs::read_to_string(&moim).expect("the file")), Some(NOTE));
    let removed = said(&["remove", "goose"]);
    assert!(removed.contains(is_out), "{removed}");
    assert!(!moim.exists());
}

#[test]
fn forgetting_a_session_takes_its_note_out_of_the_file_and_leaves_that_of_another() {
    for words in ["", "Be brief.\n", "Be brief."] {
        let (desk, moim) = goose();
        if !words.is_empty() {
            fs::write(&moim, words).expect("written");
        }
        desk.writes("s2", "session \"s1\", generation 7 was good, in this note of s2");
        let call = |session: &str| {
            let payload = json!({"event": "UserPromptSubmit", "session_id": session});
            desk.fed(payload.to_string()).quietly();
        };
        let forget = |session| Ran::of(&mut desk.command(&["forget", session, "--yes"])).ends(0);
        let active = |session| desk.home().join(".local/state/graff-notes/active").join(session);
        call("s1");
        call("s2");
        let of_s2 = fs::read(&moim).expect("the file");
        assert!(active("s1").exists() && active("s2").exists());
        forget("s1");
        assert_eq!(fs::read(&moim).expect("the file"), of_s2, "{words:?}: it is of s2");
        assert!(!active("s1").exists() && active("s2").exists());
        forget("s2");
        assert_eq!(fs::read_to_string(&moim).unwrap_or_default(), words);
        assert_eq!(moim.exists(), !words.is_empty(), "a file of ours alone goes");
        assert!(!active("s2").exists());
    }
}

#[test]
fn a_session_of_the_same_name_at_work_elsewhere_stays_known() {
    let (desk, _) = goose();
    prompted(&desk).quietly();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let root = elsewhere.path().to_str().expect("UTF-8");
    let write = ["write", "s1", "--text", "of another project", "--root", root];
    Ran::of(&mut desk.command(&write)).ends(0);
    Ran::of(&mut desk.command(&["forget", "s1", "--yes", "--root", root])).ends(0);
    assert!(desk.home().join(".local/state/graff-notes/active/s1").exists());
}

#[test]
fn the_doctor_says_whether_goose_is_told_of_a_file() {
    let bin = tempfile::tempdir().expect("a folder");
    let bin = Utf8Path::from_path(bin.path()).expect("UTF-8");
    put(bin);
    for (file, status, words) in [
        (None, "warning", "goose, user: installed, and goose is told of no file"),
        (Some(""), "warning", "goose, user: installed, and goose is told of no file"),
        (Some("/home/x/note.md"), "ok", "goose, user: installed, and answers"),
    ] {
        let desk = Desk::of(Host::Goose).with("PATH", format!("{bin}:/usr/bin:/bin"));
        let desk = match file {
            Some(file) => desk.with("GOOSE_MOIM_MESSAGE_FILE", file),
            None => desk,
        };
        Ran::of(&mut desk.command(&["hooks", "install", "goose"])).ends(0);
        let found = in_time(|| {
            let ran = Ran::of(&mut desk.command(&["doctor", "--json"]));
            (!was_late(bin)).then(|| ran.ends(0).answers())
        });
        let says =
            |it: &&Value| it["detail"].as_str().is_some_and(|it| it.starts_with("goose, user"));
        let finding = found.iter().find(says).expect("a finding");
        assert_eq!(finding["status"], status, "{finding}");
        assert!(finding["detail"].as_str().is_some_and(|it| it.contains(words)), "{finding}");
        let advice = finding["advice"].as_str().unwrap_or_default();
        let page = "export GOOSE_MOIM_MESSAGE_FILE=";
        assert_eq!(advice.contains(page), status == "warning", "{finding}");
    }
}
