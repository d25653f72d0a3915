import { plainTasks, type TaskRules } from "./plain-tasks.js";
import type { PlainStoreOptions } from "./plain-store.js";

/** A driver whose rules about tasks are these where they differ. */
export function withTaskRules(
  changed: Partial<TaskRules>,
): NonNullable<PlainStoreOptions["driver"]> {
  return (own, rows) => ({ ...own, ...plainTasks(rows, changed) });
}
