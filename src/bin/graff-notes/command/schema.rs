//! `schema`: what the answers in JSON look like, as JSON Schemas.
//!
//! They are kept by hand in `docs/schema`, a file a command, so that a change of an answer shows as
//! a change of its promise; the tests hold every answer of every command against them.

use clap::{Args, builder::PossibleValuesParser};

use crate::{
    context::Context,
    exit::Exit,
    failure::Stop,
    output::{Cell, Form, Table},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes schema
  graff-notes schema verify >verify.schema.json
  graff-notes schema --json | jq -r .title

`notices` is what stands on stderr with --json. Each line of an answer is to be held against the \
schema by itself. In a pipe the list is, a row a schema: name, and what it describes.";

/// Prints the JSON Schema of a command's answers in JSON
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// Name of the command; without it the schemas are listed
    #[arg(value_name = "COMMAND", value_parser = PossibleValuesParser::new(SCHEMAS.map(|s| s.name)))]
    command: Option<String>,
}

/// The schema of what one command answers.
struct Known {
    name: &'static str,
    text: &'static str,
}

macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        [$(Known {
            name: $name,
            text: include_str!(concat!("../../../../docs/schema/", $name, ".json")),
        }),*]
    };
}

const SCHEMAS: [Known; 25] = schemas![
    "rollover",
    "decide",
    "ask",
    "write",
    "show",
    "list",
    "log",
    "diff",
    "search",
    "stats",
    "follow",
    "export",
    "import",
    "verify",
    "repair",
    "forget",
    "splice",
    "doctor",
    "where",
    "config",
    "schema",
    "hooks",
    "completions",
    "man",
    "notices",
];

impl Schema {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let wanted = |known: &&Known| self.command.as_ref().is_none_or(|name| name == known.name);
        let wanted: Vec<_> = SCHEMAS.iter().filter(wanted).collect();
        if cx.out.form() == Form::Json {
            wanted.iter().try_for_each(|known| cx.out.line(&known.on_a_line()))?;
        } else if self.command.is_some() {
            wanted.iter().try_for_each(|known| cx.out.bytes(known.text.as_bytes()))?;
        } else {
            let mut table = Table::of(&["name", "describes"]);
            for known in wanted {
                table
                    .row(&mut cx.out, vec![Cell::strong(known.name), Cell::text(known.title())])?;
            }
            table.end(&mut cx.out)?;
        }
        Ok(Exit::Done)
    }
}

impl Known {
    /// Returns the schema on one line: no string of a JSON text has a line break in it.
    fn on_a_line(&self) -> String {
        self.text.lines().map(str::trim_start).collect()
    }

    fn title(&self) -> String {
        let schema: serde_json::Value = serde_json::from_str(self.text).unwrap_or_default();
        schema.get("title").and_then(|title| title.as_str()).unwrap_or_default().to_owned()
    }
}
