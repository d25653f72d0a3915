//! Every order of events, as far as the bound goes, over the transition functions that ship. This is
//! the form of a few seconds; `npm run explore` goes further (`examples/explore.rs`).

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing
)]

mod model;

use model::{Bound, Explorer, Found, Torn};
use skein_results::result::capture::Support;

/// Two attempts, of which one may die or fail or settle twice.
const MISHAPS: Bound = Bound {
    attempts: 2,
    mishaps: 1,
    events: 0,
};
/// One attempt that goes wrong twice.
const TWICE: Bound = Bound {
    attempts: 1,
    mishaps: 2,
    events: 0,
};
/// Two attempts and something from outside.
const REPEATED: Bound = Bound {
    attempts: 2,
    mishaps: 0,
    events: 1,
};
/// One attempt, and two things from outside that meet.
const MEETING: Bound = Bound {
    attempts: 1,
    mishaps: 0,
    events: 2,
};

fn explored(support: Support, torn: Option<Torn>, bound: Bound) -> Found {
    let explorer = Explorer {
        support,
        torn,
        bound,
    };
    explorer.explore()
}

fn demand_kept(support: Support) {
    let mut unseen: Vec<_> = model::sights().collect();
    for bound in [MISHAPS, TWICE, REPEATED, MEETING] {
        let found = explored(support, None, bound);
        println!(
            "{support:?}: {} states, depth {}",
            found.states, found.depth
        );
        assert!(found.states > 500);
        let told: Vec<_> = found.violations.iter().map(ToString::to_string).collect();
        assert!(told.is_empty(), "{}", told.join("\n"));
        unseen.retain(|sight| found.unseen.contains(sight));
    }
    assert!(unseen.is_empty(), "never seen: {unseen:?}");
}

#[test]
fn every_promise_is_kept_in_every_order_where_a_store_settles_in_one_write() {
    demand_kept(Support::OneWrite);
}

#[test]
fn every_promise_is_kept_in_every_order_where_a_store_settles_in_two_steps() {
    demand_kept(Support::TwoSteps);
}

#[test]
fn a_store_that_is_not_atomic_is_found_out_whichever_primitive_it_is() {
    for torn in Torn::ALL {
        let broken: Vec<_> = [Support::OneWrite, Support::TwoSteps]
            .into_iter()
            .flat_map(|support| explored(support, Some(torn), MEETING).violations)
            .map(|violation| violation.invariant)
            .collect();
        assert!(
            broken.contains(&torn.breaks()),
            "{torn:?} breaks {broken:?}"
        );
    }
}
