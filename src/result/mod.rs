//! The result of a run: captured, stored, moved.

pub mod browser_entry;
pub mod capture;
pub mod copy;
pub mod first_write;
pub mod snapshot;
pub mod wire;
