//! `hooks`: puts our hook into an agent's settings, takes it out, and says whether it works.

mod advice;
mod codex;
mod copies;
mod done;
pub(in crate::command) mod draft;
mod face;
mod file;
pub(in crate::command) mod held;
mod lines;
mod made;
mod place;
mod setting;
mod standing;
mod status;
mod unread;

pub(super) use {
    lines::Narrow,
    place::{GOOSE_STEP, Scope},
    standing::{Installed, Standing, commands, standings},
};

pub(crate) use face::Hooks;
