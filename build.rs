//! Has the program linked to run at a fixed place, where the system's linker takes that.
//!
//! At a place that is drawn anew for each run, every table of names and functions in it has to be
//! corrected before it begins, 14,500 places on 69 pages, of which a command needs few. That was a
//! seventh of what `show` takes from start to end. Stack, heap and libraries are placed at random
//! all the same. See docs/performance.md.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    // With its C library linked in, the compiler chooses the form itself.
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
