//! The persistence rules for durable results of runs, so that an A2A task keeps its first answer.
//!
//! The rules are pure: no I/O, no clock, no randomness, no JavaScript type. They take facts and
//! return decisions, and the same functions run in native tests and in the package. Data walks one
//! way: engine, package, rules, driver, and back with an answer.
//!
//! | Room | What it decides | Contract |
//! |---|---|---|
//! | [`run`] | which statuses are final, and which one a run really ended with | 5 |
//! | [`result::capture`] | what the settle point does, in which order | 3, 4, 5 |
//! | [`result::first_write`] | that a result is never replaced | 2 |
//! | [`result::wire`] | what JSON can carry, the limit on depth, the path to a failure | 2, 3 |
//! | [`result::snapshot`] | which result entries of a snapshot are attached | 7 |
//! | [`result::copy`] | what of a result changes in a copied thread | 9 |
//! | [`result::browser_entry`] | what the browser's own store keeps of a run | 2, 6, 8 |
//! | [`task::mark`] | the server's mark on a run | 4, 11 |
//! | [`task::lineage`] | the runs of a task, and which marks survive a copy and an import | 7, 9, 12 |
//! | [`task::view`] | how a run and its result are shown as a task | 5 |
//! | [`task::list`] | pages of a list of tasks: size, order, tokens | A2A 3.1.4 |
//! | [`task::resume`] | whether an answer resumes a paused run, and what the graph is given | 12 |
//! | [`task::admission`] | what a store must offer before anything is created | 10 |
//! | [`sql`] | the statements of the SQL drivers | 2, 5, 6, 12 |
//! | [`fields`] | how an object from outside is read | 4, 7 |
//! | [`error`] | the stable codes | 3 |
//! | [`invariants`] | what is true of every run at every moment | all |
//! | [`reference`] | what a driver's primitives mean, for tests and model checking | 2, 5, 8 |
//! | `js` (wasm32 only) | the boundary: values in and out, host callbacks, promises; no rule | |

pub mod error;
pub mod fields;
pub mod invariants;
#[cfg(target_arch = "wasm32")]
pub mod js;
pub mod reference;
pub mod result;
pub mod run;
pub mod sql;
pub mod task;
