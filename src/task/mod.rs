//! The task that runs are shown as: its lineage, its pauses, what a caller sees of it.

pub mod admission;
pub mod lineage;
pub mod list;
pub mod mark;
pub mod resume;
pub mod view;
