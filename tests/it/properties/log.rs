//! The log reads one way, and what is written comes back.

use graff_notes::{
    log::{Body, Draft, LINE_BYTES_MAX, Line, Record, win_back},
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};

use super::{
    called,
    compared::{detour, our_line, our_log},
    number, reference,
    seen::{replay, replay_in_pieces, rewind, session},
};

/// Any bytes read the same in pieces, from the end, on the fast path and off it, and as the
/// reference reader has them; and what is won back from a bad line is whole.
pub(crate) fn any_bytes_are_read_one_way(file: &[u8]) {
    let (lines, end) = our_log(file);
    let records: Vec<_> = lines.iter().flatten().cloned().collect();
    assert_eq!(records, reference::records(file, session().as_str()), "the reference reader");
    assert_eq!((lines, end), called::log(file, session().as_str()), "and the page's words");
    let whole = replay(file);
    let piece = 1 + file.len() * 31 % 97;
    assert_eq!(replay_in_pieces(file, piece), whole, "in pieces of {piece}");

    let (mut from_the_end, tail, _) = rewind(file, usize::MAX);
    from_the_end.reverse();
    assert_eq!((from_the_end, tail), (whole.0, Some(whole.1)), "from the end");

    file.split(|&byte| byte == b'\n').for_each(a_line_is_read_one_way);
}

fn a_line_is_read_one_way(line: &[u8]) {
    let said = our_line(line, &session());
    let longer = detour(line);
    if line.len().max(longer.len()) <= LINE_BYTES_MAX {
        assert_eq!(our_line(&longer, &session()), said, "off the fast path");
    }
    let won = win_back(line, &session());
    assert!(won.is_sorted_by(|a, b| a.end <= b.start), "{won:?}");
    for range in won {
        let read = Line::read(&line[range], &session());
        assert!(!matches!(read, Line::Bad(_) | Line::Blank), "won back: {read:?}");
    }
}

/// Any record comes back as it was written, sealed, and to its own session only.
pub(crate) fn what_is_written_comes_back(mut input: &[u8]) {
    let [kind, seq, generation, created_at, cut] = [(); 5].map(|()| number(&mut input));
    let (name, text) = super::halves(input);
    let Ok(name) = SessionName::parse(&String::from_utf8_lossy(name)) else { return };
    let (generation, created_at) = (Generation::new(generation), Timestamp::new(created_at));
    let draft = match kind % 4 {
        0 => Draft::Attempt { generation, created_at },
        1 => Draft::Rollover { generation, created_at },
        kind => {
            let Some(cap) = NoteCap::new(NoteText::BYTES_LIMIT) else { return };
            let Ok(fitted) = NoteText::fit(&String::from_utf8_lossy(text), cap) else { return };
            let author = if kind == 2 { Author::Agent } else { Author::Mechanical };
            let cut = Bytes::new(cut);
            Draft::Note { text: fitted.text, author, cut, generation, created_at }
        }
    };
    let mut line = Vec::new();
    draft.write(&name, Seq::new(seq), &mut line);
    let line = line.strip_suffix(b"\n").expect("an LF");
    assert!(!line.contains(&b'\n'), "one line");

    let body = match draft {
        Draft::Note { text, author, cut, .. } => {
            Body::Note { text: text.as_str().to_owned().into(), author, cut }
        }
        Draft::Attempt { .. } => Body::Attempt,
        Draft::Rollover { .. } => Body::Rollover,
    };
    let record = Record { generation, created_at, seq: Some(Seq::new(seq)), body, sealed: true };
    assert_eq!(Line::read(line, &name), Line::Record(record));
    if name != session() {
        assert_eq!(Line::read(line, &session()), Line::Foreign { session: name.as_str().into() });
    }
}
