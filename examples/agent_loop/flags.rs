//! What is set on the command line.

use std::env;

use super::shape::Shape;

const USAGE: &str = "\
usage: agent_loop --endpoint URL --model NAME [options], prompts on standard input
  --shape openai|anthropic   how the endpoint speaks (default openai)
  --api-key-env NAME         the variable that holds the key (default: none is sent)
  --window-tokens N          the model's context window (default 0: unknown)
  --max-handoffs N           0 waits until the provider refuses the history (default 1)
  --rounds-max N             the most requests of one turn (default: no limit)
  --calls-cap N              the most model calls of this run (default 0: no limit)
  --root DIR                 where the notes are kept (default: the current folder)
  --session NAME             whose notes they are (default agent-loop)
  --scratch DIR              where tools read and run (default: the current folder)";

/// What is set on the command line.
pub(crate) struct Flags {
    pub(crate) endpoint: String,
    pub(crate) model: String,
    pub(crate) shape: Shape,
    pub(crate) api_key: Option<String>,
    pub(crate) window_tokens: u64,
    pub(crate) max_handoffs: u64,
    pub(crate) rounds_max: Option<u64>,
    pub(crate) calls_cap: u64,
    pub(crate) root: String,
    pub(crate) session: String,
    pub(crate) scratch: String,
}

impl Flags {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut flags = Self {
            endpoint: String::new(),
            model: String::new(),
            shape: Shape::OpenAi,
            api_key: None,
            window_tokens: 0,
            max_handoffs: 1,
            rounds_max: None,
            calls_cap: 0,
            root: ".".to_owned(),
            session: "agent-loop".to_owned(),
            scratch: ".".to_owned(),
        };
        let mut arguments = arguments;
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{flag} needs a value\n{USAGE}"))?;
            flags.set(&flag, value)?;
        }
        if flags.endpoint.is_empty() || flags.model.is_empty() {
            return Err(USAGE.to_owned());
        }
        Ok(flags)
    }

    fn set(&mut self, flag: &str, value: String) -> Result<(), String> {
        match flag {
            "--endpoint" => value.trim_end_matches('/').clone_into(&mut self.endpoint),
            "--model" => self.model = value,
            "--shape" => self.shape = Shape::named(&value).ok_or(USAGE)?,
            "--api-key-env" => {
                let unset = |_| format!("{value} is not set");
                self.api_key = Some(env::var(&value).map_err(unset)?);
            }
            "--window-tokens" => self.window_tokens = number(flag, &value)?,
            "--max-handoffs" => self.max_handoffs = number(flag, &value)?,
            "--rounds-max" => self.rounds_max = Some(number(flag, &value)?),
            "--calls-cap" => self.calls_cap = number(flag, &value)?,
            "--root" => self.root = value,
            "--session" => self.session = value,
            "--scratch" => self.scratch = value,
            _ => return Err(format!("{flag} is no flag\n{USAGE}")),
        }
        Ok(())
    }
}

fn number(flag: &str, value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("{flag} takes a number, not {value:?}"))
}
