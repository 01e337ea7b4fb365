//! The manual and the help: one text, set for its reader.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use crate::support::world::{Ran, World};

#[test]
fn the_manual_has_a_page_for_every_command() {
    let world = World::new();
    let ran = world.run(&["man", "--dir", "."]).quietly();
    let pages: Vec<_> = ran.stdout().lines().collect();
    let mut referred = vec!["graff-notes".to_owned()];
    for path in &pages {
        let page = std::fs::read_to_string(world.root().join(path)).expect("a page");
        let title = path.trim_start_matches("./").trim_end_matches(".1");
        assert!(page.contains(&format!("\n.TH {title} 1 \" \" \"graff-notes ")), "{path}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert!(page.contains(&format!("\n.SH {heading}\n")), "{path}: {heading}");
        }
        assert!(!page.contains('`') && !page.contains("Exit status"), "{path}: words unset");
        let below = page.lines().filter_map(|line| line.strip_suffix("(1)"));
        referred.extend(
            below
                .filter(|name| !title.starts_with(&name.replace('\\', "")))
                .map(|name| name.replace('\\', "")),
        );
    }
    let mut titles: Vec<_> = pages
        .iter()
        .map(|path| path.trim_start_matches("./").trim_end_matches(".1").to_owned())
        .collect();
    titles.sort();
    referred.sort();
    assert_eq!(titles, referred, "what is there, and what the pages lead to");
}

#[test]
fn a_page_of_the_manual_says_what_the_command_takes_and_returns() {
    let ran = World::new().run(&["man", "hooks status"]).quietly();
    let page = ran.stdout();
    assert!(
        page.contains("\n.SH SYNOPSIS\n.PP\ngraff\\-notes hooks status [OPTIONS] [HOST]\n"),
        "{page}"
    );
    assert!(page.contains("\n.SH \"EXIT STATUS\"\n.PP\n1 where settings cannot be read"), "{page}");
    assert!(page.contains("\n.nf\n  graff\\-notes hooks status\n"), "{page}");
    assert!(page.contains("\n.SH \"SEE ALSO\"\n.PP\ngraff\\-notes\\-hooks(1)\n"), "{page}");
}

#[test]
fn a_page_is_asked_for_in_one_word_or_in_several() {
    let world = World::new();
    let quoted = world.run(&["man", "hooks status"]).quietly();
    assert_eq!(world.run(&["man", "hooks", "status"]).quietly().stdout(), quoted.stdout());
    let ran = world.run(&["man", "hooks", "nothing"]).ends(2);
    assert!(ran.stderr().contains("the manual of \"hooks nothing\": there is no such"), "{ran}");
    world.run(&["man", "hooks", "status", "--dir", "."]).ends(2);
}

#[test]
fn the_programs_page_names_every_variable_and_every_file() {
    let world = World::new();
    let page = world.run(&["man"]).quietly().stdout().replace(r"\-", "-");
    let section = |name: &str| {
        let (_, behind) = page.split_once(&format!("\n.SH {name}\n")).expect(name);
        behind.split("\n.SH ").next().expect("its lines").to_owned()
    };
    let (environment, files) = (section("ENVIRONMENT"), section("FILES"));
    let settings = world.run(&["config", "show", "--json"]).quietly().answers();
    let names = settings.iter().filter_map(|it| it["setting"].as_str());
    for name in names.filter(|name| *name != "percent-in-hooks") {
        let variable = format!("GRAFF_{}", name.to_uppercase().replace('-', "_"));
        assert!(environment.contains(&variable), "{variable}: {environment}");
    }
    for variable in ["GRAFF_API_KEY", "GRAFF_PAGER", "PAGER", "NO_COLOR", "XDG_CONFIG_HOME"] {
        assert!(environment.contains(variable), "{variable}: {environment}");
    }
    for file in [
        ".graff/notes/SESSION.notes.jsonl",
        ".graff/notes/SESSION.notes.rejected",
        ".graff/config.toml",
        "graff-notes/config.toml",
    ] {
        assert!(files.contains(file), "{file}: {files}");
    }
}

/// The terminal's width decides where the prose of the help breaks, not the source's lines.
#[test]
fn the_help_fills_its_lines() {
    let here = World::new();
    let help = Ran::of(here.command(&["ask", "--help"]).env("COLUMNS", "60")).quietly();
    let (_, prose) = help.stdout().split_once("Examples:").expect("examples");
    let paragraphs = prose.split("\n\n").skip(1);
    for lines in paragraphs.map(|text| text.lines().collect::<Vec<_>>()) {
        for pair in lines.windows(2) {
            let [line, next] = pair else { continue };
            let word = next.split(' ').next().unwrap_or_default();
            assert!(line.len() + 1 + word.len() > 60, "{line:?} has room for {word:?}");
        }
    }
}

#[test]
fn the_folder_for_the_pages_is_made() {
    let world = World::new();
    let ran = world.run(&["man", "--dir", "share/man/man1"]).quietly();
    assert!(ran.stdout().starts_with("share/man/man1/graff-notes.1\n"), "{ran}");
    assert!(world.root().join("share/man/man1/graff-notes-write.1").exists());
    fs::write(world.root().join("file"), "").expect("a file");
    let ran = world.run(&["man", "--dir", "file"]).ends(1);
    assert!(ran.stderr().starts_with("graff-notes: could not create file: "), "{ran}");
}

#[test]
fn a_page_takes_the_place_of_an_older_one_whole_and_of_nothing_else() {
    let world = World::new();
    let page = world.root().join("graff-notes.1");
    world.run(&["man", "--dir", "."]).quietly();
    let whole = fs::read_to_string(&page).expect("a page");
    assert_eq!(fs::metadata(&page).expect("it is there").permissions().mode() & 0o777, 0o644);
    fs::write(&page, "an older one").expect("a file");
    world.run(&["man", "--dir", "."]).quietly();
    assert_eq!(fs::read_to_string(&page).expect("a page"), whole);
    let other = world.root().join("other");
    fs::write(&other, "somebody's own").expect("a file");
    fs::remove_file(&page).and_then(|()| symlink(&other, &page)).expect("a link");
    let ran = world.run(&["man", "--dir", "."]).ends(2);
    assert!(ran.stderr().contains("it is there, and no plain file"), "{ran}");
    assert_eq!(fs::read_to_string(&other).expect("it is there"), "somebody's own");
}

#[test]
fn help_is_asked_for_in_either_order() {
    let world = World::new();
    for (words, flag) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "write"], &["write", "--help"]),
        (&["help", "hooks", "install"], &["hooks", "install", "--help"]),
    ] {
        let (asked, usual) = (world.run(words).quietly(), world.run(flag).quietly());
        assert_eq!(asked.stdout(), usual.stdout(), "{words:?}");
    }
    let ran = world.run(&["help", "no-such-command"]).ends(2);
    assert!(ran.stderr().contains("no-such-command"), "{ran}");
}

#[test]
fn the_help_says_which_times_a_command_shows() {
    let world = World::new();
    for command in ["follow", "export", "list"] {
        let help = world.run(&[command, "--help"]).quietly();
        let words: Vec<_> = help.stdout().split_whitespace().collect();
        let said =
            "on a terminal relative, but local in `follow`, whose lines stay, and iso in `export`";
        assert!(words.join(" ").contains(said), "{help}");
    }
}
