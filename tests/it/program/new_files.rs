//! The promise: a file that is written for somebody is there whole or not at all, whatever ends the
//! run or hinders it; what was there before stays until then; and what fails leaves nothing behind.
//!
//! Shown with exports, and under strace, which ends a run at each of its steps, and lets each fail:
//! where the system has files without a name, and where it has none.

use std::{collections::BTreeMap, fs, process::Command};

use camino::Utf8PathBuf;

use crate::support::{
    traced::under_strace,
    world::{Ran, World},
};

const OLD: &str = "what was there before\n";

const NEW: &str = "# s1\n\n## note · generation 0\n\n```text\na note\n```\n\n";

/// How a file comes into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Without a name until it is whole.
    Nameless,
    /// Under another name, as where the system knows no other way.
    Named,
}

/// What there is before, and what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing, and nothing is to be replaced.
    Nothing,
    /// A file that is to be replaced.
    File,
}

/// A store with a note, and a folder for the file.
struct Desk {
    world: World,
    before: Before,
}

impl Desk {
    fn new(before: Before) -> Self {
        let world = World::new();
        world.put("s1", "{\"v\":1,\"session\":\"s1\",\"text\":\"a note\"}\n");
        fs::create_dir(world.root().join("to")).expect("a folder");
        let desk = Self { world, before };
        if before == Before::File {
            fs::write(desk.folder().join("out.md"), OLD).expect("a file");
        }
        desk
    }

    fn folder(&self) -> Utf8PathBuf {
        self.world.root().join("to")
    }

    fn plain(&self) -> Command {
        let force: &[&str] = if self.before == Before::File { &["--force"] } else { &[] };
        self.world.command(&[&["export", "s1", "-o", "to/out.md"], force].concat())
    }

    /// The same run under strace, with this done to its calls.
    fn hindered(&self, way: Way, hindrance: &str) -> Option<Command> {
        self.under_strace(way, &["-o", "/dev/null", "-e", hindrance])
    }

    fn under_strace(&self, way: Way, strace: &[&str]) -> Option<Command> {
        let plain = self.plain();
        match way {
            Way::Nameless => under_strace(strace, &plain),
            Way::Named => under_strace(&[strace, &["-e", &self.nameless()?]].concat(), &plain),
        }
    }

    /// What lets the system have no files without a name: the opening fails that asks for one.
    fn nameless(&self) -> Option<String> {
        let trace = self.world.root().join("trace");
        let twin = Self::new(self.before);
        let args = ["-o", trace.as_str(), "-e", "trace=?open,openat"];
        under_strace(&args, &twin.plain())?.output().expect("it starts");
        let trace = fs::read_to_string(&trace).expect("a trace");
        let asks = |line: &&str| line.contains("O_TMPFILE");
        let call = trace.lines().find(asks).expect("it asks for one");
        let call = if call.contains(" open(") { "open" } else { "openat" };
        let mut calls = trace.lines().filter(|line| line.contains(&format!(" {call}(")));
        let at = 1 + calls.position(|line| asks(&line)).expect("it asks for one");
        Some(format!("inject={call}:error=EOPNOTSUPP:when={at}"))
    }

    /// Every file in the folder, with its text.
    fn files(&self) -> BTreeMap<String, String> {
        let found = self.folder().read_dir_utf8().expect("it can be read").flatten();
        found
            .map(|it| {
                let text = fs::read_to_string(it.path()).expect("a file");
                (it.file_name().to_owned(), text)
            })
            .collect()
    }

    /// The file, which is whole, or as it was; what else is in the folder is returned.
    #[track_caller]
    fn beside_a_whole_one(&self, said: &str) -> Vec<String> {
        let mut files = self.files();
        let file = files.remove("out.md");
        let is_as_before = match self.before {
            Before::Nothing => file.is_none(),
            Before::File => file.as_deref() == Some(OLD),
        };
        assert!(is_as_before || file.as_deref() == Some(NEW), "{said}: {file:?}");
        files.into_keys().collect()
    }
}

/// The calls by which a run writes a file and gives it its name.
const STEPS: [&str; 5] = ["write", "fsync", "linkat", "renameat2", "?rename,?renameat"];

/// A run takes fewer of one of them.
const STEPS_MAX: u32 = 100;

/// Every way to every file.
fn each() -> impl Iterator<Item = (Way, Before)> {
    [Way::Nameless, Way::Named]
        .into_iter()
        .flat_map(|way| [Before::Nothing, Before::File].map(|before| (way, before)))
}

#[test]
fn who_ends_a_run_at_any_step_finds_the_whole_file_or_what_was_there() {
    let mut kills = 0;
    for (way, before) in each() {
        for step in STEPS {
            for at in 1.. {
                assert!(at <= STEPS_MAX, "{way:?}, {before:?}: there is no end to {step}");
                let desk = Desk::new(before);
                let kill = format!("inject={step}:signal=SIGKILL:when={at}");
                let Some(mut ran) = desk.hindered(way, &kill) else { return };
                if ran.output().expect("it starts").status.success() {
                    break;
                }
                kills += 1;
                let said = format!("{way:?}, {before:?}, ended at {step} {at}");
                let left = desk.beside_a_whole_one(&said);
                let may_be_left = (way, before) != (Way::Nameless, Before::Nothing);
                assert!(
                    left.is_empty() || may_be_left && left == [".graff-notes.1.part"],
                    "{said}"
                );
                if before == Before::File || !desk.files().contains_key("out.md") {
                    Ran::of(&mut desk.plain()).quietly();
                }
                assert_eq!(desk.files()["out.md"], NEW, "{said}: what is left hinders nobody");
            }
        }
    }
    assert!(kills > 12, "{kills} steps are not all of them");
}

#[test]
fn what_fails_at_any_step_leaves_what_was_there_and_nothing_besides() {
    let mut failures = 0;
    for (way, before) in each() {
        for step in STEPS {
            for error in ["EIO", "ENOSPC", "EACCES", "EISDIR"] {
                let desk = Desk::new(before);
                let fail = format!("inject={step}:error={error}:when=1");
                let Some(mut ran) = desk.hindered(way, &fail) else { return };
                let ran = Ran::of(&mut ran);
                let said = format!("{way:?}, {before:?}, {error} at {step}: {ran}");
                let left = desk.beside_a_whole_one(&said);
                assert!(left.is_empty(), "{said}: {left:?}");
                if ran.has_status(0) {
                    assert_eq!(desk.files()["out.md"], NEW, "{said}");
                    continue; // it takes no such step
                }
                failures += 1;
                assert!(!desk.files().values().any(|text| text == NEW), "{said}");
                let begins = "graff-notes: could not write to/out.md: ";
                assert!(ran.has_status(1) && ran.stderr().starts_with(begins), "{said}");
            }
        }
    }
    assert!(failures >= 4 * 12, "{failures} failures are not all of them");
}

#[test]
fn who_is_there_first_stays() {
    for (way, step) in [(Way::Nameless, "linkat"), (Way::Named, "renameat2")] {
        let desk = Desk::new(Before::Nothing);
        let Some(mut ran) = desk.hindered(way, &format!("inject={step}:error=EEXIST")) else {
            return;
        };
        let ran = Ran::of(&mut ran).ends(2);
        let said =
            "graff-notes: could not write to/out.md: it is there already\n  --force replaces it\n";
        assert_eq!(ran.stderr(), said, "{way:?}");
        assert!(desk.files().is_empty(), "{way:?}: {:?}", desk.files());
    }
}

#[test]
fn where_there_is_no_such_renaming_or_no_second_name_the_file_gets_its_name_all_the_same() {
    let [unknown, never] = ["EINVAL", "ENOSYS"].map(|it| format!("inject=renameat2:error={it}"));
    let [no_second_name, no_link, no_support] =
        ["EPERM", "ENOSYS", "EOPNOTSUPP"].map(|it| format!("inject=linkat:error={it}"));
    for hindrances in [
        &["-e", &*unknown][..],
        &["-e", &never],
        &["-e", &no_second_name],
        &["-e", &unknown, "-e", &no_second_name],
        &["-e", &unknown, "-e", &no_link],
        &["-e", &unknown, "-e", &no_support],
    ] {
        let desk = Desk::new(Before::Nothing);
        let strace = [&["-o", "/dev/null"], hindrances].concat();
        let Some(mut ran) = desk.under_strace(Way::Named, &strace) else { return };
        Ran::of(&mut ran).quietly();
        assert_eq!(desk.files(), [("out.md".to_owned(), NEW.to_owned())].into(), "{strace:?}");
    }
}

#[test]
fn a_file_that_keeps_the_name_it_had_meanwhile_is_written() {
    let desk = Desk::new(Before::Nothing);
    let stays = "inject=?unlink,?unlinkat:error=EACCES";
    let strace = ["-o", "/dev/null", "-e", "inject=renameat2:error=EINVAL", "-e", stays];
    let Some(mut ran) = desk.under_strace(Way::Named, &strace) else { return };
    Ran::of(&mut ran).quietly();
    assert_eq!(desk.beside_a_whole_one("it is written"), [".graff-notes.1.part"]);
    assert_eq!(desk.files()["out.md"], NEW);
}

#[test]
fn what_others_left_is_passed_over_and_hinders_only_where_every_name_is_taken() {
    let part = |number: usize| format!(".graff-notes.{number}.part");
    for (way, taken, status) in [
        (Way::Nameless, 1..=99, 0),
        (Way::Nameless, 1..=100, 1),
        (Way::Named, 1..=99, 0),
        (Way::Named, 1..=100, 1),
    ] {
        let desk = Desk::new(Before::File);
        for name in taken.clone().map(part) {
            fs::write(desk.folder().join(name), "another's").expect("a file");
        }
        let Some(mut ran) = desk.hindered(way, "trace=?open,openat") else { return };
        let ran = Ran::of(&mut ran).ends(status);
        let mut files = desk.files();
        let file = files.remove("out.md");
        assert_eq!(file.as_deref(), Some(if status == 0 { NEW } else { OLD }), "{way:?}");
        let theirs: BTreeMap<_, _> =
            taken.map(|number| (part(number), "another's".to_owned())).collect();
        assert_eq!(files, theirs, "{way:?}");
        let why = "others at work, or that were killed: .graff-notes.*.part";
        assert_eq!(ran.stderr().contains(why), status == 1, "{way:?}: {ran}");
    }
}

#[test]
fn a_file_is_on_disk_before_it_has_its_name() {
    for (way, before) in each() {
        let desk = Desk::new(before);
        let trace = desk.world.root().join("steps");
        let calls = "trace=?open,openat,fsync,linkat,renameat2,?rename,?renameat";
        let strace = ["-o", trace.as_str(), "-e", calls];
        let Some(mut ran) = desk.under_strace(way, &strace) else { return };
        Ran::of(&mut ran).quietly();
        let trace = fs::read_to_string(&trace).expect("a trace");
        let steps: Vec<_> = trace.lines().filter(|line| !line.contains(" open")).collect();
        assert!(steps[0].contains("fsync("), "{way:?}, {before:?}: {steps:?}");
        assert!(steps.len() > 1, "{way:?}, {before:?}: {steps:?}");
    }
}

#[test]
fn a_name_may_be_as_long_as_a_name_can_be() {
    let world = World::new();
    world.put("s1", "{\"v\":1,\"session\":\"s1\",\"text\":\"a note\"}\n");
    let name = "n".repeat(255);
    for force in [&[][..], &["--force"]] {
        world.run(&[&["export", "s1", "-o", &name], force].concat()).quietly();
        assert_eq!(fs::read_to_string(world.root().join(&name)).expect("it is there"), NEW);
    }
}
