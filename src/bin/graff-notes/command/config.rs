//! `config show`: what holds, and who says so.

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::Value;

use crate::{
    args,
    command::hook,
    context::Context,
    exit::Exit,
    failure::Stop,
    output::{Cell, Form, Table},
    root::Because,
    settings::{self, Given, Setting, Source},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes config show
  GRAFF_PERCENT=80 graff-notes config show --json | jq 'select(.setting == \"percent\")'";

const SHOW_EXAMPLES: &str = "\
Examples:
  graff-notes config show
  GRAFF_PERCENT=80 graff-notes config show --json | jq 'select(.setting == \"percent\")'

A setting stands in for the flag of the same name. A flag comes first, then the variable (percent \
is GRAFF_PERCENT), then .graff/config.toml below the root, then graff-notes/config.toml in \
$XDG_CONFIG_HOME or ~/.config. The files are TOML, a line a setting, such as `percent = 80`. A \
project's file cannot set note-from, endpoint and model.

percent-in-hooks is no setting of its own: it is percent, with another default, in hooks and in \
mcp, since agents compact well before their window is full. Of the others, window-tokens, \
calls-cap and cap-bytes hold for both.

What cannot be used is dropped: of a file the line, or the whole where it cannot be read or more \
than eight lines are no TOML; of the environment the variable. Whatever else is set holds, and \
stderr says what was dropped. Here that ends with status 2, or 1 where a file cannot be read; ask \
and decide do nothing then.

Secrets stand in no setting, but may in an address or a command: of an address only the scheme and \
the host are shown, of a command only its first word, and the rest as ***, with --json too. What \
is no number or no source of notes, where one belongs, is not shown either. The file or variable \
that is named has them in full.

Zero stands for no limit in calls-cap and ceiling-tokens, and for unknown in window-tokens, which \
a terminal shows beside it.

In a pipe it prints, a row a setting: setting, value, source (flag, environment, project, user, \
default), and the variable or file. What has no value is a dash.";

/// Shows the settings, and where each comes from
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Config {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Prints every setting with its value and where that comes from
    #[command(after_help = SHOW_EXAMPLES)]
    Show,
}

#[derive(Serialize)]
struct Answer<'a> {
    setting: &'a str,
    value: Value,
    source: &'static str,
    from: Option<&'a str>,
    /// What the value stands for, where a person is to be told.
    #[serde(skip)]
    meant: Option<&'static str>,
}

/// The setting that has another default in hooks.
const PERCENT: &str = "percent";

const HEAD: &[&str] = &["setting", "value", "source", "from"];

impl Config {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let ConfigCommand::Show = self.command;
        let root = cx.root()?;
        let set = settings::read(cx.root_flag());
        let mut table = Table::of(HEAD);
        let root_source = match root.because {
            Because::Flag => "flag",
            Because::Environment => "environment",
            Because::Graff | Because::Git | Because::CurrentFolder => "default",
        };
        let (value, from) = (Value::from(root.path.as_str()), root.because.words());
        let answer =
            Answer { setting: "root", value, source: root_source, from: Some(from), meant: None };
        say(cx, &mut table, &answer)?;
        let described = args::described();
        for setting in &settings::ALL {
            let given = set.given.iter().find(|given| given.setting.name == setting.name);
            let default = args::default_of(&described, &setting.flag_id());
            let answer = answer_of(setting, given, default.as_deref());
            say(cx, &mut table, &answer)?;
            if setting.name == PERCENT {
                say(cx, &mut table, &in_hooks(answer))?;
            }
        }
        table.end(&mut cx.out)?;
        Ok(set.refuse_dropped(&cx.notices).unwrap_or(Exit::Done))
    }
}

fn answer_of<'a>(
    setting: &'a Setting,
    given: Option<&'a Given>,
    default: Option<&str>,
) -> Answer<'a> {
    let (source, from) = match given.map(|given| &given.source) {
        Some(Source::Environment { variable }) => ("environment", Some(variable.as_str())),
        Some(Source::Project { path }) => ("project", Some(path.as_str())),
        Some(Source::User { path }) => ("user", Some(path.as_str())),
        None => ("default", None),
    };
    let text = given.map(|given| given.value.as_str()).or(default);
    let shown = text.map(|text| setting.shown(text));
    let number = text.filter(|_| setting.allowed.is_number()).and_then(|n| n.parse::<u64>().ok());
    let value = number.map_or_else(|| shown.map_or(Value::Null, Value::from), Value::from);
    let meant = setting.zero().filter(|_| value == 0);
    Answer { setting: setting.name, value, source, from, meant }
}

/// Returns what holds in hooks where this holds elsewhere.
fn in_hooks(percent: Answer<'_>) -> Answer<'_> {
    let is_default = percent.source == "default";
    let value = if is_default { hook::PERCENT_DEFAULT.into() } else { percent.value };
    Answer { setting: "percent-in-hooks", value, ..percent }
}

fn say(cx: &mut Context, table: &mut Table, answer: &Answer<'_>) -> Result<(), Stop> {
    if cx.out.form() == Form::Json {
        return cx.out.json(answer);
    }
    let value = match (&answer.value, answer.meant) {
        (Value::Null, _) => "-".to_owned(),
        (Value::String(text), _) => text.clone(),
        (other, Some(meant)) if cx.out.form() == Form::Terminal => format!("{other} ({meant})"),
        (other, _) => other.to_string(),
    };
    let source = match answer.source {
        "default" => Cell::dim(answer.source),
        other => Cell::strong(other),
    };
    let from = Cell::text(answer.from.unwrap_or("-"));
    table.row(&mut cx.out, vec![Cell::text(answer.setting), Cell::text(value), source, from])
}
