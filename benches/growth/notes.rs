//! Appending, and the newest note, in a log of more and more notes.

use std::{fs::File, io::Write as _};

use camino::Utf8Path;
use graff_notes::{
    log::Draft,
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};

use crate::{measured, sizes, table::Row, world};

pub(crate) fn rows() -> Vec<Row> {
    let names = ["append", "newest", "program: write", "program: show"];
    let mut rows: Vec<Row> = names.into_iter().map(Row::new).collect();
    for size in sizes(1, 1_000_000) {
        let folder = world::folder();
        let (store, session) = (world::store(&folder), world::session("s1"));
        fill(&store.log_path(&session), &session, size);
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
pub(crate) fn fill(path: &Utf8Path, session: &SessionName, notes: u64) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("the notes' folder");
    let mut file = std::io::BufWriter::new(File::create(path).expect("a log"));
    let mut line = Vec::new();
    for number in 1..=notes {
        line.clear();
        note(number).write(session, Seq::new(number), &mut line);
        file.write_all(&line).expect("a line");
    }
    file.flush().expect("the rest");
}

fn note(number: u64) -> Draft {
    let text = format!("{number:07}: src/parse.rs:88 still drops the CR; `cargo test -p parse` ");
    Draft::Note {
        text: NoteText::fit(&text, NoteCap::default()).expect("a note").text,
        author: Author::Agent,
        cut: Bytes::ZERO,
        generation: Generation::ZERO,
        created_at: Timestamp::new(1_790_000_000_000 + number),
    }
}
