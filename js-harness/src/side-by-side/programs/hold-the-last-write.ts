// Serves both agents as an instance of its own, and holds each of them where it is about to write how a
// task has ended, until the parent says "go on".

import { once } from "node:events";

import { TaskState } from "@a2a-js/sdk";

import { echo } from "../../graphs/echo.js";
import type { Host } from "../../host.js";
import type { TaskDatabase } from "../../sdk-handler/task-databases.js";
import { openBoth, openPlace, textInput, type Location } from "../agents.js";

const place = openPlace(JSON.parse(process.argv[2] ?? "") as Location);
const both = await openBoth(
  { ...place, openTasks: async () => lateSaves(await place.openTasks()) },
  { graph: echo, toInput: textInput },
);
lateSettles(both.host);
process.send?.({ ours: both.ours, theirs: both.theirs });
process.once("disconnect", () => {
  void both.close();
});

async function whenReleased<T>(write: () => Promise<T>): Promise<T> {
  process.send?.("held");
  await once(process, "message");
  const answer = await write();
  process.send?.("written");
  return answer;
}

function lateSaves(tasks: TaskDatabase): TaskDatabase {
  const { taskStore } = tasks;
  return {
    close: () => tasks.close(),
    taskStore: {
      load: (id, context) => taskStore.load(id, context),
      list: (params, context) => taskStore.list(params, context),
      save: (task, context) => {
        const save = () => taskStore.save(task, context);
        const isLast = task.status?.state === TaskState.TASK_STATE_COMPLETED;
        return isLast ? whenReleased(save) : save();
      },
    },
  };
}

function lateSettles({ store: { runs } }: Host): void {
  const settle = runs.settleRun?.bind(runs);
  runs.settleRun = (runId, write) =>
    whenReleased(async () => (await settle?.(runId, write)) ?? null);
}
