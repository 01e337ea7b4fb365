//! `completions`: what a shell needs to complete our command lines.

use clap::Args;
use clap_complete::Shell;
use serde::Serialize;

use crate::{
    completing,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
    output::Form,
};

const EXAMPLES: &str = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions && \\
    graff-notes completions bash >~/.local/share/bash-completion/completions/graff-notes
  graff-notes completions zsh >\"${fpath[1]}/_graff-notes\"
  graff-notes completions fish >~/.config/fish/completions/graff-notes.fish

Each of these turns them on, in a new shell: open one.
bash reads its folder where the package bash-completion is installed; without it, put \
`source <(graff-notes completions bash)` into ~/.bashrc.
zsh reads the folders of $fpath once ~/.zshrc has `autoload -U compinit && compinit`; for a folder \
of your own put `fpath=(~/.zfunc $fpath)` before that, and write to ~/.zfunc/_graff-notes.
fish reads its folder by itself.

They complete the names of sessions too: the shell asks the program, with `GRAFF_COMPLETE` set \
to the shell's name, and the line typed so far behind `--`. With any other first word that \
variable means nothing.";

/// Prints the completions for a shell
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// Which shell
    shell: Shell,
}

#[derive(Serialize)]
struct Answer<'a> {
    shell: String,
    script: &'a str,
}

impl Completions {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let shell = self.shell;
        let script = completing::script(shell)
            .ok_or_else(|| Failure::input(format_args!("complete in {shell}: it cannot ask us")))?
            .map_err(|e| Failure::system(format_args!("write completions for {shell}"), &e))?;
        match cx.out.form() {
            Form::Json => {
                let script = &String::from_utf8_lossy(&script);
                cx.out.json(&Answer { shell: self.shell.to_string(), script })?;
            }
            Form::Plain | Form::Terminal => cx.out.bytes(&script)?,
        }
        Ok(Exit::Done)
    }
}
