//! `import`: records from elsewhere, checked first, and never at the cost of one that is here.

mod document;
mod face;
mod taken_in;

pub(crate) use face::Import;
