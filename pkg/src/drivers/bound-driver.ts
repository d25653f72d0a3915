import { readArgument } from "../wasm/argument.js";
import { callableOf } from "../wasm/callable.js";
import type { ResultDriver } from "./driver.js";
import { handled } from "../wasm/handled.js";
import { ask, perform } from "../wasm/instance.js";

/** A driver's primitives as functions of their own, each read once. */
export type BoundDriver = {
  readonly [P in keyof ResultDriver]: OwnFunction<NonNullable<ResultDriver[P]>>;
};

type OwnFunction<F> = F extends (...given: infer G) => infer R ? (...given: G) => R : never;

/** Every primitive stands here: one that is left out does not compile. */
const PRIMITIVES = Object.keys({
  record: true,
  read: true,
  settle: true,
  cancel: true,
  start: true,
  readMany: true,
  attachMany: true,
  copyMany: true,
  taskPage: true,
  cancelPaused: true,
  passOver: true,
  admitResume: true,
} satisfies Record<keyof ResultDriver, true>) as (keyof ResultDriver)[];

/**
 * Reads a driver's primitives, keeping their `this`. What is missing is found here, by name, before
 * anything is created.
 *
 * @throws `driver_incomplete`
 */
export function bindDriver(driver: ResultDriver): BoundDriver {
  const offered = callableOf(driver, PRIMITIVES);
  ask((rules) => rules.checkDriver(offered));
  const bound: Partial<Record<keyof ResultDriver, unknown>> = {};
  for (const name of offered) {
    const primitive = readArgument("driver", () => driver[name]?.bind(driver)) as
      ((...given: unknown[]) => unknown) | undefined;
    bound[name] = (...given: unknown[]) => handled(() => primitive?.(...given));
  }
  return bound as BoundDriver;
}

/**
 * Calls a primitive that has no rule around it.
 *
 * @throws `driver_failed`
 */
export function callPrimitive<T>(name: keyof ResultDriver, call: () => T | PromiseLike<T>) {
  return perform((rules) => rules.callPrimitive(name, call));
}
