//! The promise: the program says what it did and nothing else, in the same words and under the same
//! status each time, to a person, a script and a program.
//!
//! Shown by running the built program in folders of its own, also on a terminal.

#![cfg(feature = "cli")]

mod agreeing;
mod answers;
mod asking;
mod beginnings;
mod colours;
mod completing;
mod counting;
mod damaged;
mod deciding;
mod diffing;
mod doctoring;
mod endpoints;
mod examples;
mod exporting;
mod fault_rows;
mod faulty_settings;
mod following;
mod importing;
mod inputs;
mod latest;
mod left_out;
mod listing;
mod manuals;
mod model;
mod names;
#[cfg(target_os = "linux")]
mod new_files;
mod paging;
mod pipes;
mod progress;
mod readme;
mod repairing;
mod rolling;
mod roots;
mod schemas;
mod searching;
mod selecting;
mod settings;
mod side_by_side;
mod splicing;
mod statuses;
mod terminals;
mod verifying;
