//! `man`: the manual, made from the same words as `--help`.

mod face;
mod page;

pub(crate) use face::Man;
