//! The steps that carry records from one place to another: out and in again, more of the same
//! history, and another one.

use serde_json::{Value, json};

use super::{DAMAGE, NAMES, NOTHING_THERE, Pair};
use crate::support::plain_list::{PlainList, Says};

/// The note of another history.
const OTHER: &str = "another history";

fn imported(session: &str, outcome: &str, added: usize, had: usize) -> Value {
    json!({"session": session, "mode": "write", "outcome": outcome, "added": added, "had": had})
}

impl Pair {
    pub(super) fn carry(&mut self, of: usize) {
        let list = &self.lists[of];
        let (name, records) = (NAMES[of], list.records());
        let damage = list.bad_lines() + u64::from(list.is_torn());
        let damaged = if damage > 0 { DAMAGE } else { 0 };
        let file = ["--format=jsonl", "--output=carried", "--force"];
        let ran = self.run(&[&["export", name], &file[..]].concat());
        let Some(ran) = self.is_there(of, ran) else { return };
        let answer = ran.ends(damaged).json();
        assert_eq!(json!([answer["records"], answer["damage"]]), json!([records.len(), damage]));
        self.run(&["forget", name, "--yes"]).ends(0);
        let ran = self.run(&["import", "carried"]);
        if records.is_empty() {
            ran.ends(NOTHING_THERE);
        } else {
            assert_eq!(ran.ends(damaged).json(), imported(name, "added", records.len(), 0));
        }
        self.lists[of] = PlainList::of(records);
    }

    pub(super) fn import_more(&mut self, of: usize, generation: u64, says: &Says) {
        let list = &mut self.lists[of];
        let (name, had) = (NAMES[of], list.records().len());
        let left_out = list.bad_lines() > 0 || list.is_torn();
        let here = std::fs::read(self.world.log(name)).unwrap_or_default();
        let seq = list.push(generation, says.clone());
        let mut more = json!({
            "v": 1, "session": name, "gen": generation, "created_at": 5, "seq": seq
        });
        match says {
            Says::Attempt => more["kind"] = "attempt".into(),
            Says::Rollover => more["kind"] = "rollover".into(),
            says => more["text"] = says.text().into(),
        }
        if matches!(says, Says::Mechanical) {
            more["kind"] = "mechanical".into();
        }
        let theirs = [&here[..], b"\n", more.to_string().as_bytes(), b"\n"].concat();
        std::fs::write(self.world.root().join("more"), theirs).expect("a file");
        let status = if left_out { DAMAGE } else { 0 };
        let answer = self.run(&["import", "more"]).ends(status).json();
        assert_eq!(answer, imported(name, "added", 1, had));
        let answer = self.run(&["import", "more"]).ends(status).json();
        assert_eq!(answer, imported(name, "nothing", 0, had + 1));
    }

    pub(super) fn import_other(&mut self, of: usize) {
        let list = &mut self.lists[of];
        let had = list.records().len();
        let name = NAMES[of];
        let other = json!({"v": 1, "session": name, "gen": 3, "text": OTHER, "seq": 1});
        let ran = self.world.fed(format!("{other}\n"), &["import", "-", "--json"]);
        let here = list.records();
        if had == 0 {
            assert_eq!(ran.ends(0).json(), imported(name, "added", 1, 0));
            list.push(3, Says::Agent(OTHER));
        } else if here[0].text() == Some(OTHER) {
            assert_eq!(ran.ends(0).json(), imported(name, "nothing", 0, had));
        } else {
            assert_eq!(ran.ends(1).said("error")["kind"], "parted");
        }
    }
}
