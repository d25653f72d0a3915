//! Every text that enters the Rust side, one target for each entrance: whatever it is, it is read as it
//! reads, or refused with the code that is promised, and nothing is changed then. This is the form of a
//! few seconds; `npm run fuzz` goes on for as long as it is told to.
//!
//! JavaScript parses a text that is JSON; here serde_json does. What is read of the value, and what is
//! decided by it, are the functions that ship.
//!
//! A failure prints its seed: `BOLERO_RANDOM_SEED=<seed> BOLERO_RANDOM_ITERATIONS=0 cargo test --test fuzz
//! <target>` has the same input again.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects
)]

mod admission;
mod browser;
mod checkpoints;
mod json;
mod lists;
mod marks;
mod names;
mod near;
mod settling;
mod snapshots;
mod target;
mod tasks;
mod wire;
