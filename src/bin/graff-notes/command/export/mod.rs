//! `export`: the records of sessions as one document, with the damage where it stands.

mod entry;
mod face;
mod markdown;
mod records;
mod sheet;

pub(super) use entry::{DAMAGE, NEWER, VERSION};
pub(crate) use face::Export;
