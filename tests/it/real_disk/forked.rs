//! What a process does that has become another one, as a forked child has: it shares its parent's
//! open files, and with them the lock.
//!
//! Nothing forks here, since that cannot be had without unsafe code. What tells the child from its
//! parent is its number alone, so the system is made to answer with another one from some call on.

use std::fs;

use super::{said, two_notes};
use crate::support::{
    child::Role,
    notes::{Home, records, s1},
    skipped,
};

/// The calls of two appends through one handle, where the process has another number from its
/// `changed`-th question for it on; the last ones are those of the appends.
fn calls(home: &Home, changed: Option<usize>) -> Option<Vec<String>> {
    let out = home.root.join("trace");
    let when = changed.map(|nth| format!("inject=getpid:retval=4711:when={nth}+"));
    let mut strace = vec!["strace", "-f", "-qq", "-y", "-o", out.as_str()];
    strace.extend(["-e", "trace=getpid,openat,?openat2,flock"]); // an old strace lacks the name
    strace.extend(when.iter().flat_map(|when| ["-e", when.as_str()]));
    assert_eq!(said(&strace, Role::AppendTwice, home, "new")?, ["stored", "stored"]);
    let trace = fs::read_to_string(&out).expect("a trace");
    let call = |line: &str| {
        let lock = line.contains("s1.notes.lock");
        let unlocks = line.contains("LOCK_UN");
        match line.split_once(' ')?.1.trim_start().split_once('(')?.0 {
            "getpid" => Some("number"),
            "flock" if unlocks => Some("unlock"),
            "flock" => Some("lock"),
            "openat" | "openat2" if lock => Some("open the lock"),
            _ => None,
        }
    };
    Some(trace.lines().filter_map(call).map(str::to_owned).collect())
}

fn count(calls: &[String], call: &str) -> usize {
    calls.iter().filter(|found| *found == call).count()
}

#[test]
fn a_child_gives_no_lock_back_that_its_parent_took_and_writes_under_one_of_its_own() {
    let home = || {
        let home = Home::new();
        home.put(two_notes());
        fs::write(home.store.lock_path(&s1()), "").expect("a lock");
        home
    };
    let Some(alone) = calls(&home(), None) else { return };
    let (locks, opens) = (count(&alone, "unlock"), count(&alone, "open the lock"));
    assert_eq!((locks, opens), (2, 1), "who stays the same keeps its files open: {alone:?}");
    let first_unlock = alone.iter().position(|call| call == "unlock").expect("it is given back");
    if alone[first_unlock - 1] != "number" {
        return skipped("the number of a process is not asked of the system here");
    }
    let questions = count(&alone[..first_unlock], "number");

    let forked = home();
    let calls = calls(&forked, Some(questions)).expect("it ran before");
    let (locks, opens) = (count(&calls, "unlock"), count(&calls, "open the lock"));
    assert_eq!((locks, opens), (1, 2), "it lets go of what is its parent's: {calls:?}");
    assert_eq!(records(&forked.store), ["one", "two", "new", "newer"]);
}
