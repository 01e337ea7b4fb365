use graff_notes::{
    log::Draft,
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    store::*,
    units::*,
};

#[test]
fn smoke() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(camino::Utf8Path::from_path(dir.path()).unwrap());
    let s = SessionName::parse("s1").unwrap();
    for i in 0..3 {
        let f = NoteText::fit(&format!("note {i} of the day"), NoteCap::default()).unwrap();
        let a = store
            .append(
                &s,
                &Draft::Note {
                    text: f.text,
                    author: Author::Agent,
                    cut: f.cut,
                    generation: Generation::ZERO,
                    created_at: Timestamp::new(5),
                },
            )
            .unwrap();
        println!("{a:?}");
    }
    println!("{:?}", store.newest(&s));
    println!("{:?}", store.latch(&s, Generation::ZERO, Timestamp::new(5)));
    println!("{:?}", store.latch(&s, Generation::new(1), Timestamp::new(5)));
    println!("{:?}", store.verify(&s));
    println!("{:?}", store.sessions());
    std::fs::OpenOptions::new()
        .append(true)
        .open(store.log_path(&s))
        .unwrap()
        .write_all(b"junk\n{\"v\":1,\"ses")
        .unwrap();
    println!("{:?}", store.newest(&s));
    println!("{:?}", store.repair(&s, RepairMode::DryRun));
    println!("{:?}", store.repair(&s, RepairMode::Write));
    println!("{:?}", store.repair(&s, RepairMode::Write));
    println!("{:?}", store.forget(&s));
    use std::io::Write;
    for e in std::fs::read_dir(dir.path().join(".graff/notes")).unwrap() {
        println!("{e:?}");
    }
}
