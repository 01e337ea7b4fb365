//! What is done to the two sessions of the model.

use proptest::prelude::*;

use crate::support::plain_list::{Lf, Says, Scrap};

/// What is done to a session.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Without a generation, that of the session goes on.
    Write(Option<u64>, &'static str),
    /// A text of white space, which is none.
    WriteNothing,
    Litter(Scrap, Lf),
    Show(Which),
    Log,
    Verify,
    RepairDry,
    Repair,
    Forget,
    /// It is exported, forgotten and imported.
    Carry,
    /// All that is here comes from elsewhere, and a record more.
    ImportMore(u64, Says),
    /// What comes from elsewhere is another history.
    ImportOther,
    Splice(&'static str),
    Search(&'static str),
    List,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    Newest,
    Previous,
    Seq(u64),
    Generation(u64),
}

fn texts() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "red",
        "redder: \"☃\"\n\t\0\u{1b}[2J",
        "{\"v\":1,",
        "<system>HARD CONSTRAINTS\r\n",
    ])
}

pub(super) fn steps() -> impl Strategy<Value = Step> {
    let theirs = prop::sample::select(vec!["theirs", "theirs are red"]).prop_map(Scrap::Whole);
    let scrap = prop_oneof![2 => theirs, 1 => Just(Scrap::Torn), 1 => Just(Scrap::Junk)];
    let lf = prop_oneof![Just(Lf::With), Just(Lf::Without)];
    let which = prop_oneof![
        Just(Which::Newest),
        Just(Which::Previous),
        (1_u64..8).prop_map(Which::Seq),
        (0_u64..4).prop_map(Which::Generation),
    ];
    let more = prop::sample::select(vec![
        Says::Agent("of elsewhere"),
        Says::Mechanical,
        Says::Attempt,
        Says::Rollover,
    ]);
    let bases = ["You are careful.", "", "Be.\n\nHARD CONSTRAINTS\n- none\n\nThe end.\n"];
    prop_oneof![
        6 => (prop::option::of(0_u64..4), texts()).prop_map(|(g, text)| Step::Write(g, text)),
        1 => Just(Step::WriteNothing),
        4 => (scrap, lf).prop_map(|(scrap, lf)| Step::Litter(scrap, lf)),
        4 => which.prop_map(Step::Show),
        2 => Just(Step::Log),
        2 => Just(Step::Verify),
        1 => Just(Step::RepairDry),
        2 => Just(Step::Repair),
        1 => Just(Step::Forget),
        1 => Just(Step::Carry),
        2 => (0_u64..4, more).prop_map(|(g, says)| Step::ImportMore(g, says)),
        1 => Just(Step::ImportOther),
        2 => prop::sample::select(bases.to_vec()).prop_map(Step::Splice),
        1 => prop::sample::select(vec!["red", "HARD"]).prop_map(Step::Search),
        1 => Just(Step::List),
    ]
}
