//! What the program says, and how: the answer on stdout, everything else on stderr.
//!
//! An answer has three forms. On a terminal it is for a person: aligned, with relative times and
//! colour, and with every control character shown as an escape. In a pipe it is for a script: one
//! row a line, cells parted by tabs, nothing cut, no colour unless it is asked for, and control
//! characters as escapes but in the text of a note. With `--json` it is JSON, one object a line.

mod chart;
mod new_file;
mod notices;
mod pager;
mod progress;
mod room;
mod stdout;
mod table;
mod text;
mod time;

pub(crate) use chart::chart;
pub(crate) use new_file::{IfThere, NewFile};
pub(crate) use notices::Notices;
pub(crate) use progress::Progress;
pub(crate) use stdout::{Form, Output};
pub(crate) use table::{Cell, Table};
pub(crate) use text::{CUT, fence, first_line, one_line, plural, quoted, shown, shown_json, size};
pub(crate) use time::Clock;
