//! The commands, a file each: what one takes, and what it answers.

mod account;
mod completions;
mod decide;
mod diff;
mod forget;
mod found;
mod hits;
mod list;
mod log;
mod man;
mod record;
mod repair;
mod rollover;
mod search;
mod show;
mod splice;
mod stats;
mod verify;
mod where_is;
mod write;

pub(crate) use completions::Completions;
pub(crate) use decide::Decide;
pub(crate) use diff::Diff;
pub(crate) use forget::Forget;
pub(crate) use list::List;
pub(crate) use log::Log;
pub(crate) use man::Man;
pub(crate) use repair::Repair;
pub(crate) use rollover::Rollover;
pub(crate) use search::Search;
pub(crate) use show::Show;
pub(crate) use splice::Splice;
pub(crate) use stats::Stats;
pub(crate) use verify::Verify;
pub(crate) use where_is::Where;
pub(crate) use write::Write;
