//! A small but complete agent: see [`agent_loop`] for what it does and how it is called.
//!
//! ```text
//! cargo run --example agent_loop -- --endpoint http://127.0.0.1:11434/v1 --model qwen3 \
//!     --window-tokens 32768 --session mend-the-parser --scratch /tmp/scratch
//! ```

use std::{
    env,
    io::{self, BufReader, Write as _},
    process::ExitCode,
};

#[path = "agent_loop/mod.rs"]
mod agent_loop;

fn main() -> ExitCode {
    let input = BufReader::new(io::stdin());
    match agent_loop::run(env::args().skip(1), input, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(io::stderr(), "agent_loop: {why}");
            ExitCode::FAILURE
        }
    }
}
