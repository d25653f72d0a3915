//! Properties of the capture machine on the reference store: whatever the order of ends, cancels,
//! deletions and failures, the invariants of `capture` hold.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, clippy::arithmetic_side_effects)]

use proptest::prelude::*;
use skein_results::reference::{ReferenceStore, Row};
use skein_results::result::capture::{
    Action, Awaiting, End, Finish, HostAnswer, Marking, Phase, Stop, Support, advance, awaiting,
    begin, phase_after,
};
use skein_results::run::RunStatus;

/// What happens next in a program over one run.
#[derive(Clone, Debug)]
enum Event {
    /// The engine's settle point is called.
    Settle(End<u8>),
    /// The oldest call that waits gets its answer from the store.
    HostAnswer,
    /// The oldest call that waits fails instead.
    Fail,
    Cancel,
    Delete,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let finish = prop_oneof![Just(Finish::Success), Just(Finish::Interrupted)];
    let stop = prop_oneof![
        Just(Stop::Error),
        Just(Stop::Timeout),
        Just(Stop::Interrupted),
        Just(Stop::Cancelled)
    ];
    let event = prop_oneof![
        4 => (finish, any::<u8>()).prop_map(|(status, result)| Event::Settle(End::Finished { status, result })),
        2 => stop.prop_map(|stop| Event::Settle(End::Stopped(stop))),
        8 => Just(Event::HostAnswer),
        1 => Just(Event::Fail),
        1 => Just(Event::Cancel),
        1 => Just(Event::Delete),
    ];
    proptest::collection::vec(event, 1..24)
}

fn supports() -> impl Strategy<Value = Support> {
    prop_oneof![
        Just(Support::OneWrite),
        Just(Support::TwoSteps),
        Just(Support::Lacking)
    ]
}

fn markings() -> impl Strategy<Value = Marking> {
    prop_oneof![Just(Marking::Marked), Just(Marking::Unmarked)]
}

const RUN: u8 = 1;

/// One attempt on one run, with the calls that wait for the store.
struct Attempt {
    store: ReferenceStore<u8, u8>,
    phase: Phase,
    marking: Marking,
    support: Support,
    waiting: Vec<(Action<u8>, Awaiting)>,
    results_seen: Vec<u8>,
}

impl Attempt {
    fn new(marking: Marking, support: Support) -> Self {
        let mut store = ReferenceStore::default();
        store.create(RUN, Row::new(100, None, RunStatus::Running));
        Self {
            store,
            phase: Phase::Open,
            marking,
            support,
            waiting: Vec::new(),
            results_seen: Vec::new(),
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Settle(end) => {
                let action = begin(self.phase, self.marking, self.support, end);
                self.enter(action);
            }
            Event::HostAnswer | Event::Fail if self.waiting.is_empty() => {}
            Event::HostAnswer => {
                let (action, awaiting) = self.waiting.remove(0);
                let answer = self.perform(action);
                self.enter(advance(self.phase, awaiting, answer));
            }
            Event::Fail => {
                let (_, awaiting) = self.waiting.remove(0);
                self.enter(advance(self.phase, awaiting, HostAnswer::Failed));
            }
            Event::Cancel => {
                self.store.cancel(&RUN);
            }
            Event::Delete => self.store.delete(&RUN),
        }
        self.results_seen.extend(self.store.read(&RUN));
    }

    fn enter(&mut self, action: Action<u8>) {
        self.phase = phase_after(self.phase, &action);
        if let Some(awaiting) = awaiting(&action) {
            self.waiting.push((action, awaiting));
        }
    }

    /// The store's part, with the conditional status write of a host that has one.
    fn perform(&mut self, action: Action<u8>) -> HostAnswer {
        match action {
            Action::Settle { status, result } => HostAnswer::Settled(
                self.store
                    .settle(&RUN, status, result)
                    .map(|ended| ended.effective()),
            ),
            Action::Record { result, .. } => {
                self.store.record(&RUN, result);
                HostAnswer::Recorded
            }
            Action::WriteStatus(status) => HostAnswer::StatusWritten(
                self.store
                    .settle(&RUN, status, None)
                    .map(|ended| ended.effective()),
            ),
            Action::Done(_) | Action::Fail | Action::Raise => HostAnswer::Failed,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_marked_run_that_succeeded_has_its_result(events in events(), support in supports()) {
        let mut attempt = Attempt::new(Marking::Marked, support);
        for event in events {
            attempt.take(event);
            if let Some(row) = attempt.store.row(&RUN) {
                prop_assert!(row.status != RunStatus::Success || row.result.is_some());
            }
        }
    }

    #[test]
    fn a_result_never_changes_until_the_run_is_erased(events in events(), support in supports()) {
        let mut attempt = Attempt::new(Marking::Marked, support);
        for event in events {
            attempt.take(event);
        }
        prop_assert!(attempt.results_seen.windows(2).all(|pair| pair.first() == pair.last()));
    }

    #[test]
    fn an_unmarked_run_never_has_a_result(events in events(), support in supports()) {
        let mut attempt = Attempt::new(Marking::Unmarked, support);
        for event in events {
            attempt.take(event);
            prop_assert_eq!(attempt.store.read(&RUN), None);
        }
    }

    #[test]
    fn a_run_ends_once(events in events(), support in supports(), marking in markings()) {
        let mut attempt = Attempt::new(marking, support);
        let mut ended = None;
        for event in events {
            attempt.take(event);
            let status = attempt.store.row(&RUN).map(|row| row.status).filter(|status| status.is_terminal());
            prop_assert!(ended.is_none() || status.is_none() || status == ended);
            ended = ended.or(status);
        }
    }

    #[test]
    fn a_result_and_its_status_are_never_apart_where_they_are_one_write(events in events()) {
        let mut attempt = Attempt::new(Marking::Marked, Support::OneWrite);
        for event in events {
            attempt.take(event);
            if let Some(row) = attempt.store.row(&RUN) {
                let finished = matches!(row.status, RunStatus::Success | RunStatus::Interrupted);
                prop_assert!(row.result.is_none() || finished);
            }
        }
    }

    #[test]
    fn an_attempt_whose_capture_failed_can_still_be_ended(events in events(), support in supports()) {
        let mut attempt = Attempt::new(Marking::Marked, support);
        for event in events {
            attempt.take(event);
        }
        while !attempt.waiting.is_empty() {
            attempt.take(Event::HostAnswer);
        }
        attempt.take(Event::Settle(End::Stopped(Stop::Error)));
        attempt.take(Event::HostAnswer);
        prop_assert!(matches!(attempt.phase, Phase::Settled(status) if status.is_terminal()));
        prop_assert!(attempt.store.row(&RUN).is_none_or(|row| row.status.is_terminal()));
    }
}
