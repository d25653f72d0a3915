import { describe, expect, it } from "vitest";

import type { ThreadExecutionGate } from "../stores/contract.js";

import { Gate } from "./testing/store-wrappers.js";
import { withThreadExecution } from "./thread-execution.js";
import { ThreadLocks } from "./thread-locks.js";

describe("the execution claim of a thread", () => {
  it("lets one task at a time in, in order, and other threads past", async () => {
    const locks = new ThreadLocks();
    const held = new Gate();
    const log: string[] = [];
    const task = (name: string, gate?: Gate) => async () => {
      log.push(`${name} begins`);
      await gate?.pass();
      log.push(`${name} ends`);
    };

    const first = withThreadExecution(locks, undefined, "a", task("a1", held));
    const second = withThreadExecution(locks, undefined, "a", task("a2"));
    await withThreadExecution(locks, undefined, "b", task("b1"));
    held.open();
    await Promise.all([first, second]);

    expect(log).toEqual(["a1 begins", "b1 begins", "b1 ends", "a1 ends", "a2 begins", "a2 ends"]);
  });

  it("is free again after a task that failed", async () => {
    const locks = new ThreadLocks();
    const failing = withThreadExecution(locks, undefined, "a", () =>
      Promise.reject(new Error("No.")),
    );
    const next = withThreadExecution(locks, undefined, "a", () => Promise.resolve("next"));

    await expect(failing).rejects.toThrow("No.");
    expect(await next).toBe("next");
  });

  it("asks the gate once at a time, and gives the lease back also after a failure", async () => {
    const locks = new ThreadLocks();
    const log: string[] = [];
    const gate: ThreadExecutionGate = {
      acquire: () => {
        log.push("acquire");
        return Promise.resolve({
          release: () => {
            log.push("release");
            return Promise.resolve();
          },
        });
      },
    };

    const failing = withThreadExecution(locks, gate, "a", () => Promise.reject(new Error("No.")));
    const next = withThreadExecution(locks, gate, "a", () => Promise.resolve());
    await expect(failing).rejects.toThrow("No.");
    await next;

    expect(log).toEqual(["acquire", "release", "acquire", "release"]);
  });

  it("does not let a task in when the gate is out of reach, and says why", async () => {
    const cause = new Error("The server is down.");
    const gate: ThreadExecutionGate = { acquire: () => Promise.reject(cause) };
    let ran = false;

    const claim = withThreadExecution(new ThreadLocks(), gate, "a", () => {
      ran = true;
      return Promise.resolve();
    });

    await expect(claim).rejects.toMatchObject({ cause });
    expect(ran).toBe(false);
  });
});
