//! Appending, and the newest note, in a log of more and more notes.

use graff_notes::{log::Draft, session::SessionName, store::Store};

use crate::{measured, sizes, table::Row, world};

pub(crate) fn rows() -> Vec<Row> {
    let names = ["append", "newest", "program: write", "program: show"];
    let mut rows: Vec<Row> = names.into_iter().map(Row::new).collect();
    for size in sizes(1, 1_000_000) {
        let folder = world::folder();
        let (store, session) = (world::store(&folder), world::session("s1"));
        fill(&store, &session, size);
        let mut number = size;
        let append = measured::call(|| {
            number += 1;
            world::stored(store.append(&session, &note(number)));
        });
        let newest = measured::call(|| store.newest(&session).expect("a note"));
        let text = format!("note {} of the program", measured::RUN);
        let write = measured::program(folder.path(), &["write", "s1", "--text", &text]);
        let show = measured::program(folder.path(), &["show", "s1"]);
        for (row, measured) in rows.iter_mut().zip([append, newest, write, show]) {
            row.add(size, measured);
        }
    }
    rows
}

/// Makes a log of so many notes of a hundred bytes, synced by nobody.
pub(crate) fn fill(store: &Store, session: &SessionName, notes: u64) {
    world::fill_file_with(&store.log_path(session), session, (1..=notes).map(note));
}

fn note(number: u64) -> Draft {
    let text = format!("{number:07}: src/parse.rs:88 still drops the CR; `cargo test -p parse` ");
    world::note_of(&text, number)
}
