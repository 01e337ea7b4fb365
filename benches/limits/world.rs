//! Stores to measure in, and what is put into them.

use std::{env, fs, io::Write as _, os::unix::fs::MetadataExt as _, process};

use camino::Utf8Path;
use graff_notes::{
    log::Draft,
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    store::{Appended, Store},
    units::{Bytes, Generation, Seq, Timestamp},
};
use tempfile::TempDir;

/// The length of each note in bytes.
const NOTE_BYTES: usize = 2048;

/// Notes in 100 MB of log.
pub(crate) const LONG_LOG_NOTES: u64 = 46_000;

/// The sessions of a large store.
pub(crate) const SESSIONS: usize = 10_000;

/// The processes that append at the same time.
pub(crate) const PROCESSES: usize = 8;

/// How many notes each of them appends a round.
pub(crate) const NOTES_A_ROUND: u64 = 25;

/// The piece in which the bare calls read a file, in bytes.
pub(crate) const PIECE_BYTES: usize = 64 * 1024;

/// The environment variable that names a folder on another disk.
const PLACE: &str = "GRAFF_NOTES_BENCH_FOLDER";

/// Returns whether this run measures; as a test it only does everything once.
pub(crate) fn is_measured() -> bool {
    env::args().any(|arg| arg == "--bench")
}

/// Says what the figures below depend on; ends the program where they would mean nothing.
pub(crate) fn say_where() {
    let place = place();
    let kind = rustix::fs::statfs(&place).map_or(0, |stat| stat.f_type);
    let name = match kind {
        0xEF53 => ext(&place),
        0x5846_5342 => "XFS",
        0x9123_683E => "Btrfs",
        0x0102_1994 if is_measured() => {
            eprintln!(
                "cannot measure in {place}: it is a tmpfs, where a sync costs nothing and keeps \
                 nothing; name a folder on a disk in {PLACE}"
            );
            process::exit(2);
        }
        0x0102_1994 => "tmpfs",
        0x794C_7630 => "overlayfs",
        _ => "of another kind",
    };
    println!("file system: {name} ({kind:#x}); notes of {NOTE_BYTES} bytes\n");
}

/// Returns which of three file systems with the same number `place` is on, as far as the kernel
/// tells.
///
/// Its options name a mode of the journal, as `data=ordered`, where there is one.
fn ext(place: &str) -> &'static str {
    let options = fs::metadata(place).ok().and_then(|place| {
        let (major, minor) = (rustix::fs::major(place.dev()), rustix::fs::minor(place.dev()));
        let device = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
        let device = device.file_name()?.to_str()?;
        fs::read_to_string(format!("/proc/fs/ext4/{device}/options")).ok()
    });
    match options {
        Some(options) if options.lines().any(|option| option.starts_with("data=")) => {
            "ext4 with a journal"
        }
        Some(_) => "ext4 without a journal",
        None => "ext2, ext3 or ext4, nothing tells whether with a journal",
    }
}

/// A folder of its own on the disk that is measured.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in(place()).expect("a folder")
}

/// Returns the folder that the environment names to be measured in, else the one below `target`.
fn place() -> String {
    env::var(PLACE).unwrap_or_else(|_| env!("CARGO_TARGET_TMPDIR").to_owned())
}

pub(crate) fn path(folder: &TempDir) -> &Utf8Path {
    Utf8Path::from_path(folder.path()).expect("a UTF-8 path")
}

pub(crate) fn store(folder: &TempDir) -> Store {
    Store::at(path(folder))
}

pub(crate) fn session(name: &str) -> SessionName {
    SessionName::parse(name).expect("a plain name")
}

/// Two notes to append in turn, since the same one is not stored twice in a row.
pub(crate) fn notes() -> [Draft; 2] {
    [1, 2].map(note)
}

/// The `number`th note.
pub(crate) fn note(number: u64) -> Draft {
    note_of(&text(number), number)
}

/// The `number`th note, which says this.
pub(crate) fn note_of(text: &str, number: u64) -> Draft {
    let cap = NoteCap::new(NOTE_BYTES).expect("a cap");
    Draft::Note {
        text: NoteText::fit(text, cap).expect("a note").text,
        author: Author::Agent,
        cut: Bytes::ZERO,
        generation: Generation::ZERO,
        created_at: Timestamp::new(1_790_000_000_000 + number),
    }
}

/// What the `number`th note says.
pub(crate) fn text(number: u64) -> String {
    let line = format!("{number:08} src/parse.rs:88 still drops the CR; `cargo test -p parse` ");
    let mut text = line.repeat(NOTE_BYTES.div_ceil(line.len()));
    text.truncate(NOTE_BYTES);
    text
}

/// The bytes that a note takes in the log.
pub(crate) fn line(session: &SessionName, number: u64) -> Vec<u8> {
    let mut line = Vec::new();
    note(number).write(session, Seq::new(number), &mut line);
    line
}

/// Asserts that it is on disk, and was not there before.
pub(crate) fn stored(appended: Result<Appended, graff_notes::Error>) {
    let appended = appended.expect("an append");
    assert!(matches!(appended, Appended::Stored(_)), "{appended:?}");
}

/// Makes a log of so many notes, synced by nobody.
pub(crate) fn fill(store: &Store, session: &SessionName, notes: u64) {
    fill_file(&store.log_path(session), session, notes);
}

/// Makes a file with so many notes, synced by nobody.
pub(crate) fn fill_file(path: &Utf8Path, session: &SessionName, notes: u64) {
    fill_file_with(path, session, (1..=notes).map(note));
}

/// Makes a file with a record for each draft, numbered from 1, synced by nobody.
pub(crate) fn fill_file_with(
    path: &Utf8Path,
    session: &SessionName,
    drafts: impl Iterator<Item = Draft>,
) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("the notes' folder");
    let mut file = std::io::BufWriter::new(fs::File::create(path).expect("a log"));
    let mut line = Vec::new();
    for (number, draft) in (1..).zip(drafts) {
        line.clear();
        draft.write(session, Seq::new(number), &mut line);
        file.write_all(&line).expect("a line");
    }
    file.flush().expect("the rest");
}
