//! graff-notes keeps the note that an agent writes to its future self.
//!
//! When an agent's context fills up, its runtime replaces the history by a summary, and what the
//! agent was in the middle of is lost: the path, the command that worked, the dead end already
//! ruled out. With this crate a runtime lets the agent write one note just before that, keeps it
//! crash-safe, and puts it back word for word into every later system prompt.
//!
//! Three promises carry it:
//! * the note never eats the model call that is reserved for landing ([`budget`], [`gate`]);
//! * a note that was acknowledged is never lost or garbled ([`store`], [`log`]);
//! * the prompt that carries it is otherwise untouched ([`prompt`]).
//!
//! It makes no model call, starts no thread and needs no async runtime: it says what to ask, and
//! takes the reply. It works from sync and async code alike and across threads; its writes wait for
//! the disk, and up to five seconds for another writer, so async code calls them where blocking is
//! allowed.
//!
//! # Example
//!
//! What a runtime does at the end of a turn, and before the next request:
//!
//! ```
//! use graff_notes::{
//!     Notebook,
//!     budget::RunPool,
//!     gate::{Boundary, Verdict},
//!     notebook::{Answer, Settings, Spent},
//!     store::Store,
//!     threshold::Policy,
//!     units::{Calls, Timestamp, Tokens},
//! };
//!
//! # fn ask_the_model(_: &str) -> Result<String, String> {
//! #     Ok("Subgoal: make retry_test green. Next: src/retry.rs:41, the cap is off by one.".into())
//! # }
//! # let project = tempfile::tempdir()?;
//! # let root = camino::Utf8Path::from_path(project.path()).ok_or("not UTF-8")?;
//! # let now = Timestamp::new(1_786_017_600_000);
//! let pool = RunPool::builder().cap(Calls::new(100)).build();
//! let notebook = Notebook::open(&Store::at(root), "fix-the-retry", pool, Settings::default())?;
//!
//! // The turn is over; the provider reported 181,000 tokens of input for its last request.
//! let (window, used) = (Tokens::new(200_000), Tokens::new(181_000));
//! if Policy::default().threshold(window).check_measured(used).is_due() {
//!     let pending = Calls::new(1); // the summary is paid from the same pool
//!     let situation = notebook.situation(Boundary::EndOfTurn, window, used, pending);
//!     match notebook.decide(&situation) {
//!         Verdict::Fire(ticket) => match notebook.spend(ticket, now) {
//!             Spent::Ask(attempt) => {
//!                 let answer = match ask_the_model(attempt.request().instruction()) {
//!                     Ok(reply) => Answer::Text(reply),
//!                     Err(why) => Answer::Failed(why),
//!                 };
//!                 println!("{}", notebook.settle(attempt, answer, now));
//!             }
//!             Spent::Left(outcome) => println!("no note: {outcome}"),
//!         },
//!         Verdict::Refuse(why) => println!("no note: {why}"),
//!     }
//!     // Here the runtime summarises and replaces the history, whatever became of the note.
//!     notebook.rolled_over(now)?;
//! }
//!
//! let prompt = notebook.splice("You are an agent.").prompt;
//! assert!(prompt.starts_with("You are an agent.\n\n"));
//! assert!(prompt.contains("src/retry.rs:41, the cap is off by one."));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | you want to | look at |
//! |---|---|
//! | hold one session of one agent | [`Notebook`] |
//! | give whole turns away: history, steers, handoffs, rescues | [`Conversation`] |
//! | have one decision of a turn's boundary alone | [`turn`] |
//! | share a limit of model calls between an agent and its workers | [`budget::RunPool`] |
//! | know when a history must roll over | [`threshold::Policy`], [`usage::Meter`] |
//! | know why a note was or wasn't asked for | [`gate`] |
//! | read and write notes without an agent | [`store::Store`] |
//! | know what survives a crash, and what does not | docs/durability.md |
//! | see records as they come | [`store::Follower`] |
//! | put a note into a prompt, or take it out | [`prompt`] |
//! | read the files with your own program | [`log`], and docs/format.md |
//! | see what an agent's transcript says, or answer its hooks | `host`, with the feature of that name |
//!
//! # Features
//!
//! * `cli`, on by default: the program `graff-notes`. A library's user turns it off.
//! * `mcp`, on by default: its command `mcp`.
//! * `host`: transcripts, hooks and settings of existing agents.
//!
//! No feature changes what another part does. The library prints nothing; it emits [`tracing`]
//! events where a decision is made.

pub mod budget;
pub mod conversation;
pub mod error;
pub mod facts;
pub mod gate;
#[cfg(feature = "host")]
pub mod host;
pub mod log;
pub mod note;
pub mod notebook;
pub mod prompt;
pub mod session;
pub mod store;
pub mod threshold;
pub mod turn;
pub mod units;
pub mod usage;

pub use conversation::Conversation;
pub use error::{Error, ErrorKind};
pub use notebook::Notebook;

#[cfg(all(doctest, unix))]
#[doc = include_str!("../README.md")]
struct Readme;
