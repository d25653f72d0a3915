// Serves one of the two agents, and kills itself when it is about to write that a task is completed: the
// graph has ended by then, and its checkpoint is written.

import { echo } from "../../graphs/echo.js";
import { openPlace, openBoth, textInput, type Location } from "../agents.js";
import { watchStatements } from "../statements.js";

const [agent, location] = process.argv.slice(2);
const both = await openBoth(openPlace(JSON.parse(location ?? "") as Location), {
  graph: echo,
  toInput: textInput,
});

/** The last write of each: of this package the one that also captures, of the SDK a row of its own. */
const isLastWrite =
  agent === "ours"
    ? (sql: string, values: string) => sql.includes("result_values") && values.includes('"success"')
    : (sql: string, values: string) =>
        sql.startsWith("insert into") && values.includes("TASK_STATE_COMPLETED");

watchStatements(({ sql, values }) => {
  if (isLastWrite(sql, JSON.stringify(values))) process.kill(process.pid, "SIGKILL");
});
process.send?.(agent === "ours" ? both.ours : both.theirs);
