//! What is not promised: that a note outlives a disk which says that something was done and did not
//! do it. Shown for each operation of an append: most such lies are found out at once or cost
//! nothing, and those that cost an acknowledged note are these.

use std::collections::BTreeSet;

use crate::support::{
    faulty::{Disk, Fault, FaultyMedium, Image, OpKind, When},
    notes::{LOG, line, note, records, s1, store_on},
};

/// The operations that a disk can lie about at the cost of the first note of a store.
const OF_THE_FIRST: [(OpKind, &str); 5] = [
    (OpKind::Append, LOG),
    (OpKind::Sync, LOG),
    (OpKind::SyncFolder, "Root"),
    (OpKind::SyncFolder, "Graff"),
    (OpKind::SyncFolder, "Notes"),
];

/// The same of a note behind others.
const OF_THE_NEXT: [(OpKind, &str); 2] = [(OpKind::Append, LOG), (OpKind::Sync, LOG)];

#[test]
fn a_disk_that_says_it_did_and_did_not_is_noticed_here_and_not_survived() {
    let one = Image::from([(LOG.to_owned(), line(1, "one"))]);
    let rows = [
        (Disk::default(), &[][..], &OF_THE_FIRST[..]),
        (Disk::holding(&one), &["one"], &OF_THE_NEXT),
    ];
    for (disk, before, expected) in rows {
        let alone = FaultyMedium::new(disk.clone());
        store_on(alone.clone()).append(&s1(), &note("new")).map(drop).expect("a good disk");
        let with_new =
            [before, &["new"]].concat().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let mut costly = BTreeSet::new();
        for (index, op) in alone.trace().iter().enumerate() {
            let medium = FaultyMedium::new(disk.clone());
            medium.plan(When::At(index), Fault::Drop);
            let acknowledged = store_on(medium.clone()).append(&s1(), &note("new")).is_ok();
            let found = records(&store_on(FaultyMedium::holding(&medium.least())));
            assert!(
                found.len() >= before.len() && with_new.starts_with(&found[..]),
                "{op:?}: {found:?}"
            );
            if acknowledged && found != with_new {
                costly.insert((format!("{:?}", op.kind), op.on.clone()));
            }
        }
        let expected = expected.iter().map(|(kind, on)| (format!("{kind:?}"), (*on).to_owned()));
        assert_eq!(costly, expected.collect());
    }
}
