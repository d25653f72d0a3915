//! Walking through a world, and what was found.

use core::fmt;

use skein_results::invariants::Invariant;
use stateright::{Checker, Model};

use super::sights::sights;
use super::{Explorer, Step};

/// What an exploration has come to.
pub struct Found {
    /// How many different states there are within the bound.
    pub states: usize,
    /// The longest of the shortest ways to a state.
    pub depth: usize,
    pub violations: Vec<Violation>,
    /// What was to be seen on the way and was not.
    pub unseen: Vec<&'static str>,
}

/// A promise that is broken, and the shortest way there.
pub struct Violation {
    pub invariant: Invariant,
    pub steps: Vec<Step>,
}

impl Explorer {
    /// Visits every state within the bound. A way ends where a promise is broken.
    pub fn explore(self) -> Found {
        let checker = self.checker().threads(cores()).spawn_bfs().join();
        let discoveries = checker.discoveries();
        let unseen = sights()
            .filter(|name| !discoveries.contains_key(name))
            .collect();
        let violations = discoveries.into_iter().filter_map(|(name, path)| {
            let invariant = Invariant::ALL
                .into_iter()
                .find(|invariant| invariant.sentence() == name)?;
            let steps = path.into_actions();
            Some(Violation { invariant, steps })
        });
        Found {
            violations: violations.collect(),
            unseen,
            states: checker.unique_state_count(),
            depth: checker.max_depth(),
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "broken: {}", self.invariant.sentence())?;
        for step in &self.steps {
            write!(formatter, "\n    {step:?}")?;
        }
        Ok(())
    }
}
