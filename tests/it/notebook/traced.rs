//! What a subscriber sees: each decision, outcome and record, with the figures that led to it.

use std::{
    cell::RefCell,
    fmt::{Debug, Write as _},
    sync::Once,
};

use graff_notes::{
    budget::{Call, RunPool},
    gate::{Notes, Provider, Situation},
    notebook::{Answer, Settings},
    units::{Calls, Generation, Tokens},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use super::{NOTE, Project, ask, at_end_of_turn, now};

thread_local! {
    /// What this thread was told since it began to listen.
    static TOLD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Tells each thread that listens what this crate traces there, one line an event.
struct Teller;

impl Subscriber for Teller {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("graff_notes")
    }

    fn event(&self, event: &Event<'_>) {
        TOLD.with_borrow_mut(|told| {
            let Some(told) = told else { return };
            let mut line = Line(event.metadata().level().to_string());
            event.record(&mut line);
            told.push(line.0);
        });
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The level of an event, its message and its fields.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let written = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
        written.expect("a string takes it");
    }
}

/// What this crate traces while `act` runs.
fn told<T>(act: impl FnOnce() -> T) -> (T, Vec<String>) {
    // For the whole process: what is enabled is asked once, by whichever thread comes first.
    static TELLER: Once = Once::new();
    TELLER
        .call_once(|| tracing::subscriber::set_global_default(Teller).expect("there is no other"));
    TOLD.set(Some(Vec::new()));
    let came_to = act();
    (came_to, TOLD.take().expect("it listened"))
}

#[test]
fn each_decision_is_traced_once_with_every_figure_that_the_gate_was_told() {
    let project = Project::new();
    let pool = RunPool::builder().cap(Calls::new(40)).build();
    let notebook = project.with(pool, Settings::default());
    let fires = at_end_of_turn(&notebook);
    let rows: [(Situation, &str); 7] = [
        (fires, "fire"),
        (Situation { notes: Notes::Off, ..fires }, "disabled"),
        (Situation { depth: 1, ..fires }, "worker"),
        (Situation { attempted: Some(Generation::ZERO), ..fires }, "already_attempted"),
        (Situation { remaining: Calls::new(8), ..fires }, "budget"),
        (Situation { provider: Provider::Rejected, ..fires }, "recovering"),
        (Situation { effective: Tokens::new(198_001), ..fires }, "no_headroom"),
    ];
    for (situation, decision) in rows {
        let (verdict, told) = told(|| notebook.decide(&situation));
        assert_eq!(verdict.as_str(), decision);
        let expected = format!("DEBUG note gate decision={decision:?} situation={situation:?}");
        assert_eq!(told, [expected]);
    }
}

#[test]
fn the_figures_of_a_decision_can_be_read_off_its_event() {
    let project = Project::new();
    let pool = RunPool::builder().cap(Calls::new(40)).build();
    let permit = pool.admit(0, Call::Root).expect("a call is left");
    let notebook = project.with(pool, Settings::default());
    let situation = Situation { effective: Tokens::new(198_001), ..at_end_of_turn(&notebook) };
    let (_, told) = told(|| notebook.decide(&situation));
    let expected = "DEBUG note gate decision=\"no_headroom\" situation=Situation { notes: On, \
                    depth: 0, session: Named, generation: Generation(0), attempted: None, \
                    remaining: Calls(39), reserve: Calls(8), cost: Calls(1), provider: Accepted, \
                    boundary: EndOfTurn, window: Tokens(200000), effective: Tokens(198001) }";
    assert_eq!(told, [expected]);
    drop(permit);
}

#[test]
fn an_attempt_its_outcome_and_a_rollover_are_traced_with_their_records() {
    let project = Project::new();
    let notebook = project.process();
    let situation = at_end_of_turn(&notebook);
    let (attempt, asked) = told(|| ask(&notebook));
    let fired = format!("DEBUG note gate decision=\"fire\" situation={situation:?}");
    assert_eq!(asked, [fired.as_str(), "DEBUG appended session=s1 seq=1 bytes=100"]);

    let answer = Answer::Text(NOTE.to_owned());
    let (_, settled) = told(|| notebook.settle(attempt, answer, now()));
    let stored = "DEBUG note outcome=\"stored\" figures=Stored { seq: Seq(2), generation: \
                  Generation(0), cut: Bytes(0) }";
    assert_eq!(settled, ["DEBUG appended session=s1 seq=2 bytes=162", stored]);

    let (_, rolled) = told(|| notebook.rolled_over(now()));
    let begun = "DEBUG rolled over generation=1";
    assert_eq!(rolled, [begun, "DEBUG appended session=s1 seq=3 bytes=101"]);
}
