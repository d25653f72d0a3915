// Every statement that this process has a database execute, with the moments around it. It is how a
// process finds the place at which it is to die.

import BetterSqlite3 from "better-sqlite3";
import pg from "pg";

/** `sent`: the server has the statement, and nobody has heard of it yet. SQLite has no such moment. */
export type Moment = "before" | "sent" | "after";

export type OnStatement = (moment: Moment, text: string) => void;

/** Tells of the statements of every connection of this process, from now on. */
export function watchStatements(told: OnStatement): void {
  watchSqlite(told);
  watchPostgres(told);
}

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Methods = Record<string, Method>;

function watchSqlite(told: OnStatement): void {
  const database = new BetterSqlite3(":memory:");
  const statements = Object.getPrototypeOf(database.prepare("SELECT 1")) as Methods;
  database.close();
  const textOf = (statement: unknown) => (statement as { source: string }).source;
  for (const name of ["run", "get", "all"]) {
    surround(statements, name, told, (statement) => textOf(statement));
  }
  const databases = BetterSqlite3.prototype as unknown as Methods;
  surround(databases, "exec", told, (_database, text) => String(text));
}

function surround(
  methods: Methods,
  name: string,
  told: OnStatement,
  textOf: (self: unknown, first: unknown) => string,
): void {
  const own = methods[name];
  if (!own) throw new Error(`better-sqlite3 has no ${name}.`);
  methods[name] = function (...given) {
    const text = textOf(this, given[0]);
    told("before", text);
    const answer = own.apply(this, given);
    told("after", text);
    return answer;
  };
}

function watchPostgres(told: OnStatement): void {
  const clients = pg.Client.prototype as unknown as Methods;
  const own = clients["query"];
  if (!own) throw new Error("pg has no query.");
  clients["query"] = function (...given) {
    const text = textOfQuery(given[0]);
    const heard = given.at(-1);
    told("before", text);
    if (typeof heard === "function") {
      given[given.length - 1] = (...answer: unknown[]) => {
        told("after", text);
        (heard as Method)(...answer);
      };
    }
    const answer = own.apply(this, given);
    told("sent", text);
    if (!(answer instanceof Promise)) return answer;
    return answer.then((rows: unknown) => {
      told("after", text);
      return rows;
    });
  };
}

function textOfQuery(query: unknown): string {
  if (typeof query === "string") return query;
  return (query as { text?: string } | null)?.text ?? "";
}
