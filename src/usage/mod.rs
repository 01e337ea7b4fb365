//! How large the history is: measured by the provider for this very request, or, where it was
//! not, weighed in bytes.
//!
//! A provider's [`Report`] becomes a measured figure only if every number in it makes sense. A
//! [`Meter`] keeps that figure for exactly as long as it is true: it is cleared before each
//! request of the turn, filled only from that request's response, and void once the history has
//! been rewritten. Without a measured figure the [`pressure`] of the history stands in.
//!
//! This module does not know what size is too large, nor what the history says.
//!
//! Invariants:
//! * A figure of an earlier request or of an earlier generation is never read.
//! * Nothing is added to a measured figure: no estimate of growth, no part counted twice.

mod meter;
mod pressure;
mod report;

pub use meter::{Filled, Meter, Reading, Request};
pub use pressure::{IMAGE_PRESSURE, Item, pressure};
pub use report::{Report, Unusable};
