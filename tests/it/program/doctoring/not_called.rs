//! What is called is the user's own: a repository that was cloned runs nothing, whatever its
//! settings name, and no shell is given more than one program's words.

use std::fs;

use graff_notes::host::hook::Host;
use serde_json::Value;

use super::{PATH, command};
use crate::support::{
    found::put_script,
    world::{Ran, World},
};

/// The agents with a command in their settings, and the file that has it.
const HOSTS: [(Host, &str); 4] = [
    (Host::ClaudeCode, ".claude/settings.json"),
    (Host::Codex, ".codex/hooks.json"),
    (Host::Gemini, ".gemini/settings.json"),
    (Host::Goose, ".agents/plugins/graff-notes/hooks/hooks.json"),
];

/// A project with a program of its own that is called as ours is, and a user.
struct Cloned {
    project: World,
    home: World,
}

impl Cloned {
    fn new() -> Self {
        let cloned = Self { project: World::new(), home: World::new() };
        let called = format!("#!/bin/sh\n: >'{}/ran'\n", cloned.home.root());
        put_script(cloned.project.root(), &called);
        cloned
    }

    /// Installs the hooks, of the user or with `--project`, and puts this command into them.
    fn called_by(&self, host: Host, scope: &[&str], file: &str, called: &str) {
        let install = [&["hooks", "install", host.as_str()], scope].concat();
        let mut install = self.project.command(&install);
        install.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        Ran::of(install.env("HOME", self.home.root())).ends(0);
        let folder = if scope.is_empty() { &self.home } else { &self.project };
        let file = folder.root().join(file);
        let text = fs::read_to_string(&file).expect("settings");
        let called = serde_json::to_string(called).expect("a string");
        assert!(text.contains(&format!("\"graff-notes hook {host}\"")), "{text}");
        let edited = text.replace(&format!("\"graff-notes hook {host}\""), &called);
        fs::write(&file, edited).expect("written");
        let events = ["session_start", "user_prompt_submit", "pre_compact", "stop", "session_end"];
        let trust = events.map(|event| {
            format!("[hooks.state.\"{file}:{event}:0:0\"]\ntrusted_hash = \"sha256:0\"\n")
        });
        fs::create_dir_all(self.home.root().join(".codex")).expect("a folder");
        fs::write(self.home.root().join(".codex/config.toml"), trust.concat()).expect("written");
    }

    /// What is found of these hooks, where PATH has nothing of ours but what is in this folder.
    #[track_caller]
    fn found(&self, host: Host, scope: &str, bin: Option<&World>) -> Value {
        let mut doctor = command(&self.project, &["--json"]);
        if let Some(bin) = bin {
            let path = format!("{}:{PATH}", bin.root());
            // A login shell of Codex sets PATH anew.
            let profile = format!("PATH='{path}'\n");
            fs::write(self.home.root().join(".profile"), profile).expect("a profile");
            doctor.env("PATH", path);
        }
        let found = Ran::of(doctor.env("HOME", self.home.root())).answers();
        let begin = format!("{host}, {scope}: ");
        let mut found = found.into_iter().filter(|it| it["check"] == "hooks");
        let of_host = |it: &Value| it["detail"].as_str().is_some_and(|it| it.starts_with(&begin));
        found.find(of_host).unwrap_or_else(|| panic!("nothing of {begin}"))
    }

    #[track_caller]
    fn has_run_nothing(&self, finding: &Value) {
        assert!(!self.home.root().join("ran").exists(), "{finding}");
        assert!(!self.project.root().join("ran").exists(), "{finding}");
    }
}

#[test]
fn of_a_projects_settings_nothing_runs_but_the_command_that_we_write() {
    for (host, file) in HOSTS {
        let cloned = Cloned::new();
        let (root, home) = (cloned.project.root(), cloned.home.root());
        for called in [
            format!("./graff-notes hook {host}"),
            format!("'{root}/graff-notes' hook {host}"),
            format!("PATH='{root}' graff-notes hook {host}"),
            format!("graff-notes hook {host} ; : >'{home}/ran'"),
            format!("graff-notes hook {host} --percent 50"),
        ] {
            cloned.called_by(host, &["--project"], file, &called);
            let finding = cloned.found(host, "project", None);
            cloned.has_run_nothing(&finding);
            assert_eq!(finding["status"], "warning", "{called}: {finding}");
            let why = format!(
                "not called: its command in {root}/{file} stands in the project's settings, which \
                 whoever made the repository wrote"
            );
            assert!(finding["detail"].as_str().is_some_and(|it| it.ends_with(&why)), "{finding}");
            fs::remove_file(root.join(file)).expect("settings");
        }
    }
}

#[test]
fn the_command_that_we_write_is_called_in_a_project_too() {
    let bin = World::new();
    put_script(bin.root(), "#!/bin/sh\nexit 9\n");
    for (host, file) in HOSTS {
        let cloned = Cloned::new();
        cloned.called_by(host, &["--project"], file, &format!("graff-notes hook {host}"));
        let finding = cloned.found(host, "project", Some(&bin));
        let detail = finding["detail"].as_str().expect("words");
        assert!(detail.contains("ended with exit status: "), "{finding}");
        cloned.has_run_nothing(&finding);
    }
}

#[test]
fn no_shell_is_given_more_than_the_words_of_one_program() {
    let (host, file) = HOSTS[0];
    let cloned = Cloned::new();
    let ran = cloned.home.root().join("ran");
    for more in [
        format!(" ; : >'{ran}'"),
        format!(" | tee '{ran}'"),
        format!(" & : >'{ran}'"),
        format!(" && : || : >'{ran}'"),
        format!(" $(: >'{ran}')"),
        format!(" `: >'{ran}'`"),
        format!(" >'{ran}'"),
        format!("\n: >'{ran}'"),
    ] {
        cloned.called_by(host, &[], file, &format!("graff-notes hook {host}{more}"));
        let finding = cloned.found(host, "user", None);
        cloned.has_run_nothing(&finding);
        assert_eq!(finding["status"], "warning", "{more}: {finding}");
        let why = "has more for a shell to do than to run one program";
        assert!(finding["detail"].as_str().is_some_and(|it| it.ends_with(why)), "{finding}");
        fs::remove_file(cloned.home.root().join(file)).expect("settings");
    }
}

#[test]
fn a_path_of_the_user_that_is_not_absolute_finds_nothing_in_the_project() {
    for (host, file) in HOSTS {
        let cloned = Cloned::new();
        cloned.called_by(host, &[], file, &format!("./graff-notes hook {host}"));
        let finding = cloned.found(host, "user", None);
        cloned.has_run_nothing(&finding);
        assert_eq!(finding["status"], "failure", "{finding}");
        let advice = format!("mend the command in {}", cloned.home.root().join(file));
        assert_eq!(finding["advice"], advice.as_str(), "{finding}");
    }
}
