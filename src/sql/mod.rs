//! The rules as statements of the SQL drivers: the second form of what `run`, `result` and `task` decide.

pub mod result;
pub mod task;
