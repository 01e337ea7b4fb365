//! The commands, a file each: what one takes, and what it answers.

mod account;
mod completions;
mod config;
mod decide;
mod diff;
mod doctor;
mod export;
mod follow;
mod forget;
mod found;
mod hits;
mod hook;
mod hooks;
mod import;
mod list;
mod log;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod record;
mod repair;
mod rollover;
mod schema;
mod search;
mod show;
mod splice;
mod stats;
mod verify;
mod where_is;
mod write;

pub(crate) use completions::Completions;
pub(crate) use config::Config;
pub(crate) use decide::Decide;
pub(crate) use diff::Diff;
pub(crate) use doctor::Doctor;
pub(crate) use export::Export;
pub(crate) use follow::Follow;
pub(crate) use forget::Forget;
pub(crate) use hook::Hook;
pub(crate) use hooks::Hooks;
pub(crate) use import::Import;
pub(crate) use list::List;
pub(crate) use log::Log;
pub(crate) use man::Man;
#[cfg(feature = "mcp")]
pub(crate) use mcp::Mcp;
pub(crate) use repair::Repair;
pub(crate) use rollover::Rollover;
pub(crate) use schema::Schema;
pub(crate) use search::Search;
pub(crate) use show::Show;
pub(crate) use splice::Splice;
pub(crate) use stats::Stats;
pub(crate) use verify::Verify;
pub(crate) use where_is::Where;
pub(crate) use write::Write;
