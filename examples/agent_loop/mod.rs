//! An agent that reads files, runs commands in a scratch folder, and goes on for as long as its
//! user has something to say: its history rolls over at the end of a turn that has filled the
//! model's window, and a note that it writes to itself comes back in every later system prompt.
//!
//! A line on standard input is a prompt; while a turn runs it is a steer, and `/cancel` cancels the
//! turn. The model is any that speaks `OpenAI`'s chat completions or Anthropic's messages over
//! plain HTTP.

pub(crate) mod agent;
mod anthropic;
mod command;
pub(crate) mod flags;
mod line;
mod openai;
mod shape;
mod tools;

use std::{
    io::{BufRead, Write},
    sync::mpsc,
    thread,
};

use graff_notes::{
    conversation::Ended,
    turn::{SteerRejected, Steering},
    usage::Reading,
};

use agent::Agent;
use flags::Flags;
use line::Canceller;

/// Runs the agent until `input` ends.
pub(crate) fn run(
    arguments: impl Iterator<Item = String>,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> Result<(), String> {
    let flags = Flags::parse(arguments)?;
    let mut agent = Agent::start(&flags)?;
    let prompts = route(input, agent.steering(), agent.canceller());
    for prompt in prompts {
        let ended = agent.turn(&prompt, output)?;
        tell(&agent, &ended, output)?;
        while let Some(carried) = agent.turn_for_carried(output) {
            tell(&agent, &carried?, output)?;
        }
    }
    Ok(())
}

/// Sends each line where it belongs: to the turn that runs, or to the caller as the next prompt.
fn route(
    input: impl BufRead + Send + 'static,
    steering: Steering,
    canceller: Canceller,
) -> mpsc::Receiver<String> {
    let (prompts, received) = mpsc::channel();
    thread::spawn(move || {
        for line in input.split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
            if line.trim() == "/cancel" {
                canceller.cancel();
                continue;
            }
            if steering.send(line.as_str()) == Err(SteerRejected::NoActiveRun) {
                canceller.prompt();
                if prompts.send(line).is_err() {
                    return;
                }
            }
        }
    });
    received
}

/// Says how a turn ended.
fn tell(agent: &Agent, ended: &Ended, output: &mut dyn Write) -> Result<(), String> {
    let mut lines = vec![format!("-- {}: {}", ended.stop.as_str(), ended.rollover)];
    lines.push(match agent.conversation().reading() {
        Reading::Measured { tokens } => format!("-- the history holds {tokens} tokens"),
        Reading::Pressure { bytes } => format!("-- the history holds {bytes} bytes"),
    });
    lines.extend(ended.note.as_ref().map(|note| format!("-- note: {note}")));
    lines.extend(ended.error.as_ref().map(|error| format!("-- error: {error}")));
    lines.extend(ended.unasked.map(|why| format!("-- no further call: {why}")));
    lines.extend(
        ended.milestone.map(|passed| format!("-- handoff {} of this session", passed.handoffs)),
    );
    lines.extend(ended.recovered.iter().map(|recovered| format!("-- rescued: {recovered}")));
    lines.extend(ended.troubles.iter().map(|trouble| format!("-- {}", trouble.with_causes())));
    writeln!(output, "{}", lines.join("\n")).map_err(|e| format!("write the answer: {e}"))
}
