//! The command line: what every command takes, and which commands there are.

use std::io::{self, Write};

use camino::Utf8PathBuf;
use clap::{
    ArgMatches, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand,
    error::ErrorKind,
};
use graff_notes::note::NoteCap;

use crate::{
    command,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
    output::Notices,
    selection,
    settings::{self, Given},
    typed,
};

const EXAMPLES: &str = "\
Examples:
  echo 'src/parse.rs:88 drops the CR; next: read_line' | graff-notes write fix-parser
  graff-notes show fix-parser
  graff-notes list

Environment:
  GRAFF_ROOT             folder that holds the store, where --root is not given
  GRAFF_WINDOW_TOKENS, GRAFF_PERCENT, GRAFF_CEILING_TOKENS, GRAFF_OUTPUT_RESERVE_TOKENS,
  GRAFF_BYTES_PER_TOKEN, GRAFF_CALLS_CAP, GRAFF_PENDING_CALLS, GRAFF_CAP_BYTES, GRAFF_TIME,
  GRAFF_NOTE_TIMEOUT_SECONDS, GRAFF_NOTE_FROM, GRAFF_ENDPOINT, GRAFF_MODEL
                         settings, each in place of the flag of that name
  GRAFF_API_KEY          key to any endpoint, else OPENAI_API_KEY or ANTHROPIC_API_KEY
  GRAFF_PAGER, PAGER     what shows a long answer
  NO_COLOR, CLICOLOR_FORCE
                         whether there is colour
  XDG_CONFIG_HOME        where the user's file of settings is, else ~/.config

Files:
  .graff/notes/SESSION.notes.jsonl     the log of a session, below the root
  .graff/notes/SESSION.notes.rejected  what repairs took out of it
  .graff/config.toml                   settings of the project
  ~/.config/graff-notes/config.toml    settings of the user

Exit status: 0 done, 1 failed, 2 wrong usage, 3 nothing there, 4 busy, 5 damage found, 6 refused \
by the gate, 130 interrupted (129 by HUP, 143 by TERM).";

/// Under which heading the help lists what every command takes.
const GLOBAL: &str = "Global options";

/// Keeps the note that an agent writes to itself before its context rolls over
///
/// The note is on disk before anybody is told so, and comes back word for word in every later
/// system prompt.
#[derive(Debug, Parser)]
#[command(name = "graff-notes", version, after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// Folder that holds the store `.graff`; without it `GRAFF_ROOT`, else the nearest folder
    /// upwards that has .graff or .git, else the current one
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) root: Option<Utf8PathBuf>,
    /// Answers in JSON, one object a line; errors and warnings too, on stderr
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// Doesn't hand a long answer to a pager; without it `GRAFF_PAGER`, else `PAGER`, else less
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_pager: bool,
    /// When to use colour; auto also looks at `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    #[arg(global = true, help_heading = GLOBAL)]
    pub(crate) color: ColorChoice,
}

/// The commands, as `--help` lists them; what one of them takes is only drawn up where it is asked
/// for, since there are many. What people type from habit is another name of a command, which no
/// help lists.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Rollover(command::Rollover),
    Decide(command::Decide),
    Ask(command::Ask),
    Write(command::Write),
    #[command(alias = "cat")]
    Show(command::Show),
    #[command(alias = "ls")]
    List(command::List),
    Log(command::Log),
    Diff(command::Diff),
    #[command(alias = "grep")]
    Search(command::Search),
    Stats(command::Stats),
    #[command(aliases = ["tail", "watch"])]
    Follow(command::Follow),
    Export(command::Export),
    Import(command::Import),
    #[command(aliases = ["check", "fsck"])]
    Verify(command::Verify),
    Repair(command::Repair),
    #[command(aliases = ["rm", "delete"])]
    Forget(command::Forget),
    Splice(command::Splice),
    Hook(command::Hook),
    Hooks(command::Hooks),
    #[cfg(feature = "mcp")]
    Mcp(command::Mcp),
    Doctor(command::Doctor),
    Where(command::Where),
    Config(command::Config),
    Schema(command::Schema),
    Completions(command::Completions),
    Man(command::Man),
}

impl Command {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        match self {
            Self::Rollover(rollover) => rollover.run(cx),
            Self::Ask(ask) => ask.run(cx),
            Self::Write(write) => write.run(cx),
            Self::Show(show) => show.run(cx),
            Self::List(list) => list.run(cx),
            Self::Log(log) => log.run(cx),
            Self::Diff(diff) => diff.run(cx),
            Self::Search(search) => search.run(cx),
            Self::Stats(stats) => stats.run(cx),
            Self::Follow(follow) => follow.run(cx),
            Self::Export(export) => export.run(cx),
            Self::Import(import) => import.run(cx),
            Self::Verify(verify) => verify.run(cx),
            Self::Repair(repair) => repair.run(cx),
            Self::Forget(forget) => forget.run(cx),
            Self::Decide(decide) => decide.run(cx),
            Self::Splice(splice) => splice.run(cx),
            Self::Hook(hook) => Ok(hook.run(cx)),
            Self::Hooks(hooks) => hooks.run(cx),
            #[cfg(feature = "mcp")]
            Self::Mcp(mcp) => mcp.run(cx),
            Self::Where(command::Where {}) => command::Where::run(cx),
            Self::Doctor(doctor) => doctor.run(cx),
            Self::Config(config) => config.run(cx),
            Self::Schema(schema) => schema.run(cx),
            Self::Completions(completions) => completions.run(cx),
            Self::Man(man) => man.run(cx),
        }
    }
}

/// The commands that do nothing where some of the settings cannot be used, since these are all that
/// they are about. What the others print or keep is worth more than a figure: they say what was
/// dropped, and go on with the rest.
const NEED_SETTINGS: [&str; 2] = ["ask", "decide"];

/// Reads the command line; what is set elsewhere stands in for the flags that it doesn't have.
pub(crate) fn parse() -> Result<Cli, Exit> {
    // What is said of a command line that asks for nothing may need to know every command.
    let (command, cli, names) = narrowed()
        .and_then(|command| read(command).ok())
        .map_or_else(|| read(described()), Ok)
        .map_err(|refused| refuse(&refused))?;
    let flags = flags(&command, &names);
    // A hook reads them by itself: which project it is about, the agent says on its stdin.
    if typed::is_a_hook() || !settings::ALL.iter().any(|setting| flags.contains(&setting.flag_id()))
    {
        return Ok(cli);
    }
    let set = settings::read(cli.common.root.as_deref());
    let notices = Notices::new(&cli.common);
    if !names.iter().any(|name| NEED_SETTINGS.contains(&name.as_str())) {
        set.say_dropped(&notices);
    } else if let Some(exit) = set.refuse_dropped(&notices) {
        return Err(exit);
    }
    let mut given = set.given;
    given.retain(|given| flags.contains(&given.setting.flag_id()));
    if given.is_empty() {
        return Ok(cli);
    }
    let command = with_defaults(described(), &names, &given);
    read(command).map(|(_, cli, _)| cli).map_err(|refused| refuse(&refused))
}

/// Reads the command line as `command` describes it; returns that, built, and the command's names.
fn read(mut command: clap::Command) -> Result<(clap::Command, Cli, Vec<String>), clap::Error> {
    let matches = command.try_get_matches_from_mut(typed::words())?;
    selection::check_period(&mut command, &matches)?;
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((command, cli, names(&matches)))
}

/// Returns the command line with the one command that it names; `None` where it names none.
///
/// What this reads, the whole command line would read in the same way. It is drawn up in a third of
/// the room, since each command is given every global flag, and a hook is called often.
fn narrowed() -> Option<clap::Command> {
    let (_, named) = typed::first_word()?;
    let command = Cli::command().find_subcommand(&named)?.clone();
    let without = Common::augment_args(clap::Command::new(env!("CARGO_PKG_NAME")));
    Some(without.disable_help_subcommand(true).subcommand(command))
}

/// Returns the names of a command, such as `hooks` and `status`.
fn names(matches: &ArgMatches) -> Vec<String> {
    let below = |(_, matches): (&str, &_)| names(matches);
    let first = matches.subcommand_name().map(str::to_owned);
    first.into_iter().chain(matches.subcommand().map(below).unwrap_or_default()).collect()
}

/// Returns what the flags of a command are called within the program.
fn flags(command: &clap::Command, names: &[String]) -> Vec<String> {
    let lowest = names.iter().try_fold(command, |command, name| command.find_subcommand(name));
    let flags = lowest.into_iter().flat_map(clap::Command::get_arguments);
    flags.map(|arg| arg.get_id().to_string()).collect()
}

/// Returns the command line on which the flags of a command have other defaults.
fn with_defaults(command: clap::Command, names: &[String], given: &[Given]) -> clap::Command {
    if let Some((name, names)) = names.split_first() {
        return command.mut_subcommand(name, |command| with_defaults(command, names, given));
    }
    // Each flag stays in its place: `mut_arg` would move it behind the others, and a command line
    // that is built finds its flags by their places.
    command.mut_args(|arg| {
        match given.iter().find(|given| arg.get_id() == &given.setting.flag_id()) {
            // A command line lives as long as the program does, and so do its defaults.
            Some(given) => arg.default_value(&*given.value.clone().leak()),
            None => arg,
        }
    })
}

/// Returns the cap that `--cap-bytes` names.
pub(crate) fn cap(bytes: usize) -> Result<NoteCap, Failure> {
    NoteCap::new(bytes).ok_or_else(|| {
        let (least, most) = (NoteCap::BYTES_MIN, NoteCap::BYTES_MAX);
        Failure::input(format_args!("keep {bytes} bytes of a note: a cap is {least} to {most}"))
    })
}

/// Returns whether a word is a flag of a command: one that takes any word for its value is not
/// meant to take that one.
pub(crate) fn is_flag_of(command: &str, word: &str) -> bool {
    let described = described();
    let command = described.find_subcommand(command);
    command.into_iter().flat_map(clap::Command::get_arguments).any(|arg| {
        let long = arg.get_long().map(|long| format!("--{long}"));
        let short = arg.get_short().map(|short| format!("-{short}"));
        [long, short].iter().flatten().any(|flag| flag == word)
    })
}

/// Returns the default of the flag that has this name within the program, in whichever command.
pub(crate) fn default_of(described: &clap::Command, flag: &str) -> Option<String> {
    let flags = described.get_subcommands().flat_map(clap::Command::get_arguments);
    let default =
        flags.filter(|arg| arg.get_id() == flag).find_map(|arg| arg.get_default_values().first());
    default.map(|value| value.to_string_lossy().into_owned())
}

/// Returns the whole command line; to read one, the flags of its own command are enough.
pub(crate) fn described() -> clap::Command {
    let mut command = Cli::command().color(typed::color());
    command.build();
    command
}

/// Answers a command line that asks for no command: with the help that it wants, or with why it is
/// refused.
pub(crate) fn refuse(refused: &clap::Error) -> Exit {
    if matches!(refused.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match refused.print().and_then(|()| io::stdout().flush()) {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                let failure = Failure::system("write the answer to stdout", &e);
                Notices::words().failure(&failure)
            }
            _ => Exit::Done,
        };
    }
    if typed::is_a_hook() {
        Notices::refusal_at_once(refused.render());
        return Exit::Done; // whoever called it can't mend its command line now
    }
    if !typed::flags().any(|arg| arg == "--json") {
        let _ = refused.print();
        return Exit::Usage;
    }
    let said = in_one_sentence(refused);
    let failure = Failure::new(Exit::Usage, "usage", format_args!("read the command line: {said}"));
    Notices::json().failure(&failure.advise("`graff-notes --help` lists what there is"))
}

/// Returns what is wrong with a command line, without the usage and the help behind it.
fn in_one_sentence(refused: &clap::Error) -> String {
    if let ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand =
        refused.kind()
    {
        return "a command is missing".to_owned();
    }
    let whole = refused.render().to_string();
    let said = whole.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}
