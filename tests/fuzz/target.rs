//! A target: what it is given, what must have been met, and how many inputs it had.

use core::fmt::Debug;
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;

use bolero::ValueGenerator;

/// How long a target runs where nothing is said.
const SHORT: Duration = Duration::from_millis(300);

/// With so many inputs every sight has been met. Fewer are a replay.
const MANY: u64 = 5_000;

/// What a target has met so far.
pub(crate) struct Seen {
    target: &'static str,
    inputs: AtomicU64,
    has_failed: AtomicBool,
    sights: Vec<(&'static str, AtomicU64)>,
}

impl Seen {
    /// Notes a sight of this input.
    pub(crate) fn note(&self, sight: &str) {
        let found = self.sights.iter().find(|(name, _)| *name == sight);
        let (_, count) = found.unwrap_or_else(|| panic!("{sight:?} is no sight of this target"));
        self.count(count);
    }

    /// What is tried to make a failure small are no more inputs.
    fn count(&self, counter: &AtomicU64) {
        if !self.has_failed.load(Ordering::Relaxed) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn inputs(&self) -> u64 {
        self.inputs.load(Ordering::Relaxed)
    }
}

/// Watches one input.
struct Trial<'a>(&'a Seen);

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_failed.store(true, Ordering::Relaxed);
        }
    }
}

/// `npm run fuzz` reads the line; it is printed whether the target holds or not.
impl Drop for Seen {
    fn drop(&mut self) {
        let seen: serde_json::Map<_, _> = self
            .sights
            .iter()
            .map(|(name, count)| ((*name).to_owned(), count.load(Ordering::Relaxed).into()))
            .collect();
        let line =
            serde_json::json!({ "target": self.target, "inputs": self.inputs(), "seen": seen });
        println!("fuzzed {line}");
    }
}

/// Runs a property over what the generator makes. A target whose inputs have not met every one of its
/// sights shows nothing, and fails.
pub(crate) fn fuzz<G>(
    target: &'static str,
    generator: G,
    sights: &[&'static str],
    property: impl Fn(&G::Output, &Seen) + RefUnwindSafe,
) where
    G: ValueGenerator + RefUnwindSafe,
    G::Output: Debug + RefUnwindSafe,
{
    let seen = Seen {
        target,
        inputs: AtomicU64::new(0),
        has_failed: AtomicBool::new(false),
        sights: sights
            .iter()
            .map(|name| (*name, AtomicU64::new(0)))
            .collect(),
    };
    bolero::check!(name = target)
        .with_test_time(SHORT)
        .with_generator(generator)
        .for_each(|input| {
            seen.count(&seen.inputs);
            let _trial = Trial(&seen);
            property(input, &seen);
        });
    if seen.inputs() >= MANY {
        for (sight, count) in &seen.sights {
            assert!(
                count.load(Ordering::Relaxed) > 0,
                "{target} never met {sight:?}"
            );
        }
    }
}
