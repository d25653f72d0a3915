//! `npm run explore`: every order of events within a bound that takes about a minute, or a deeper one.
//!
//! `explore [--attempts N] [--mishaps N] [--events N]` walks through one bound of your own. Prints what
//! it found, and as its last line the report as JSON.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing
)]

#[path = "../tests/explore/model/mod.rs"]
mod model;

use std::process::ExitCode;
use std::time::Instant;

use model::{Bound, Explorer, Found, Torn};
use skein_results::result::capture::Support;

/// Together about a minute on two cores.
const USUAL: [Bound; 4] = [
    Bound {
        attempts: 2,
        mishaps: 2,
        events: 0,
    },
    Bound {
        attempts: 2,
        mishaps: 1,
        events: 1,
    },
    Bound {
        attempts: 2,
        mishaps: 0,
        events: 3,
    },
    Bound {
        attempts: 1,
        mishaps: 0,
        events: 5,
    },
];

/// Where a store that is not atomic must be found out.
const TORN: Bound = Bound {
    attempts: 1,
    mishaps: 0,
    events: 2,
};

/// What the report says of the whole run.
struct Report {
    states: usize,
    depth: usize,
    violations: usize,
    /// What was to be seen on the way and was not.
    unseen: Vec<&'static str>,
}

fn main() -> ExitCode {
    let own = match own_bound(std::env::args().skip(1)) {
        Ok(own) => own,
        Err(complaint) => {
            eprintln!("{complaint}");
            return ExitCode::FAILURE;
        }
    };
    let bounds = own.map_or_else(|| USUAL.to_vec(), |bound| vec![bound]);
    let mut report = Report {
        states: 0,
        depth: 0,
        violations: 0,
        unseen: model::sights().collect(),
    };
    for bound in bounds {
        for support in [Support::OneWrite, Support::TwoSteps] {
            explore(support, bound, &mut report);
        }
    }
    let unnoticed = Torn::ALL
        .into_iter()
        .filter(|torn| !is_found_out(*torn))
        .count();
    let Report {
        states,
        depth,
        violations,
        unseen,
    } = report;
    if !unseen.is_empty() {
        println!("never seen within this bound: {}", unseen.join("; "));
    }
    println!("{{\"states\":{states},\"depth\":{depth},\"violations\":{violations}}}");
    if violations + unnoticed == 0 && (own.is_some() || unseen.is_empty()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn explore(support: Support, bound: Bound, report: &mut Report) {
    let started = Instant::now();
    let found = walked(support, None, bound);
    let Bound {
        attempts,
        mishaps,
        events,
    } = bound;
    println!(
        "{support:?}, {attempts} attempts, {mishaps} mishaps, {events} events: {} states, depth {}, {} violations, {:.1} s",
        found.states,
        found.depth,
        found.violations.len(),
        started.elapsed().as_secs_f32(),
    );
    for violation in &found.violations {
        println!("  {violation}");
    }
    report.states += found.states;
    report.depth = report.depth.max(found.depth);
    report.violations += found.violations.len();
    report.unseen.retain(|sight| found.unseen.contains(sight));
}

fn walked(support: Support, torn: Option<Torn>, bound: Bound) -> Found {
    let explorer = Explorer {
        support,
        torn,
        bound,
    };
    explorer.explore()
}

/// Whether the explorer notices that a primitive of the store is not atomic.
fn is_found_out(torn: Torn) -> bool {
    let found = [Support::OneWrite, Support::TwoSteps]
        .into_iter()
        .any(|support| {
            let violations = walked(support, Some(torn), TORN).violations;
            violations
                .iter()
                .any(|violation| violation.invariant == torn.breaks())
        });
    let verdict = if found { "found out" } else { "NOT NOTICED" };
    println!("a store whose {torn:?} is not atomic: {verdict}");
    found
}

fn own_bound(mut arguments: impl Iterator<Item = String>) -> Result<Option<Bound>, String> {
    let mut bound = None;
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|value| value.parse().ok());
        let value: u8 = value.ok_or_else(|| format!("{name} needs a number below 256."))?;
        let bound = bound.get_or_insert(Bound {
            attempts: 2,
            mishaps: 1,
            events: 1,
        });
        match name.as_str() {
            "--attempts" => bound.attempts = value,
            "--mishaps" => bound.mishaps = value,
            "--events" => bound.events = value,
            _ => {
                return Err(format!(
                    "{name} is no option; there are --attempts, --mishaps and --events."
                ));
            }
        }
    }
    Ok(bound)
}
