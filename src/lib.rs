//! graff-notes keeps the note that an agent writes to its future self.

pub mod budget;
pub mod error;
pub mod facts;
pub mod gate;
#[cfg(feature = "host")]
pub mod host;
pub mod log;
pub mod note;
pub mod notebook;
pub mod prompt;
pub mod session;
pub mod store;
pub mod threshold;
pub mod turn;
pub mod units;
pub mod usage;

pub use error::{Error, ErrorKind};
pub use notebook::Notebook;
