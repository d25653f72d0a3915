//! What becomes of the marks of runs that are copied or imported.
//!
//! Contract 7 and 9. A mark that arrives in a file is data, not authority: it stands only if the
//! task it names is one, on the same thread. A run that loses its mark is an ordinary run and no task.

use crate::task::mark::Mark;

/// The run that a mark names as its task, as far as anybody knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// Neither imported nor there before.
    Unknown,
    /// A run, with its thread and its own mark, if it has a valid one.
    Run {
        /// The thread of that run.
        thread: String,
        /// The mark of that run.
        mark: Option<Mark>,
    },
}

/// The mark of a run that was copied, with its task's id as the copy has it; `None` where the task was
/// not copied. The copy is known by its own thread's id.
pub fn copied_mark(mark: Mark, copy_of: impl FnOnce(&str) -> Option<String>) -> Option<Mark> {
    let root = copy_of(&mark.root)?;
    Some(Mark {
        root,
        context: None,
        ..mark
    })
}

/// Whether the mark of an imported run may stand.
///
/// The first run of a task names itself, at turn 0. Any other names a first run on its own thread, at a
/// later turn.
pub fn imported_mark_stands(run: &str, thread: &str, mark: &Mark, root: &Root) -> bool {
    if mark.root == run {
        return mark.turn == 0;
    }
    match root {
        Root::Unknown | Root::Run { mark: None, .. } => false,
        Root::Run {
            thread: root_thread,
            mark: Some(root_mark),
        } => {
            mark.turn > 0
                && root_thread == thread
                && root_mark.root == mark.root
                && root_mark.turn == 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::mark::MARK_VERSION;

    fn mark(root: &str, turn: u32) -> Mark {
        Mark {
            v: MARK_VERSION,
            root: root.to_owned(),
            turn,
            message: None,
            context: Some("talk".to_owned()),
        }
    }

    fn first_run(thread: &str) -> Root {
        Root::Run {
            thread: thread.to_owned(),
            mark: Some(mark("a", 0)),
        }
    }

    #[test]
    fn a_copied_mark_names_the_copy_of_its_task_or_is_dropped() {
        let copy_of = |id: &str| (id == "a").then(|| "a2".to_owned());
        let copied = Mark {
            context: None,
            ..mark("a2", 3)
        };
        assert_eq!(copied_mark(mark("a", 3), copy_of), Some(copied));
        assert_eq!(copied_mark(mark("b", 1), copy_of), None);
    }

    #[test]
    fn an_imported_first_run_names_itself_at_turn_0() {
        assert!(imported_mark_stands(
            "a",
            "t",
            &mark("a", 0),
            &Root::Unknown
        ));
        assert!(!imported_mark_stands(
            "a",
            "t",
            &mark("a", 1),
            &first_run("t")
        ));
    }

    #[test]
    fn an_imported_later_run_stands_only_on_the_thread_of_a_task() {
        let later = mark("a", 1);
        assert!(imported_mark_stands("b", "t", &later, &first_run("t")));
        assert!(!imported_mark_stands("b", "other", &later, &first_run("t")));
        assert!(!imported_mark_stands("b", "t", &later, &Root::Unknown));
        assert!(!imported_mark_stands(
            "b",
            "t",
            &mark("a", 0),
            &first_run("t")
        ));
        let ordinary = Root::Run {
            thread: "t".to_owned(),
            mark: None,
        };
        assert!(!imported_mark_stands("b", "t", &later, &ordinary));
        let of_another = Root::Run {
            thread: "t".to_owned(),
            mark: Some(mark("c", 0)),
        };
        assert!(!imported_mark_stands("b", "t", &later, &of_another));
    }
}
