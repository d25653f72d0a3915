// Values that lead back into themselves, and those that only look as if they did.

/** A value that cannot be written, and where in it that shows. */
export interface Unwritable {
  told: string;
  make: () => unknown;
  code: "not_serializable" | "too_deep";
  /** The place as a path goes on from the value's own; an endless one is cut off somewhere. */
  at: string | RegExp;
}

/** A map that shows its entries, as hosts teach theirs. */
class Entries extends Map<string, unknown> {
  toJSON(): unknown {
    return [...this];
  }
}
class Items extends Set<unknown> {
  toJSON(): unknown {
    return [...this];
  }
}

class Linked {
  next: Linked | undefined;
  previous: Linked | undefined;
}

type Members = Record<string, unknown>;

/** An object that is given to what makes its members. */
function around(members: (self: Members) => Members, self: Members = {}): Members {
  return Object.assign(self, members(self));
}

function endlessProxy(): object {
  const target = {};
  Object.defineProperty(target, "again", { enumerable: true, get: () => new Proxy(target, {}) });
  return target;
}

function ringOf(links: number): Members {
  const first: Members = {};
  let last = first;
  for (let link = 1; link < links; link += 1) last = last["next"] = {} as Members;
  last["next"] = first;
  return first;
}

const cycle = (told: string, at: string, make: () => unknown): Unwritable => {
  return { told, at, make, code: "not_serializable" };
};
/** One that never meets itself: each step makes what the next one leads to. */
const endless = (told: string, at: RegExp, make: () => unknown): Unwritable => {
  return { told, at, make, code: "too_deep" };
};

export const CYCLES: readonly Unwritable[] = [
  cycle("an object in itself", ".self", () => around((self) => ({ before: 1, self }))),
  cycle("two objects in each other", ".b.a", () => {
    const a: Members = {};
    a["b"] = { a };
    return a;
  }),
  cycle("a ring of 500", ".next".repeat(500), () => ringOf(500)),
  cycle("links both ways", ".next.previous", () => {
    const [first, second] = [new Linked(), new Linked()];
    [first.next, second.previous] = [second, first];
    return first;
  }),
  cycle("an array in itself", "[1]", () => {
    const list: unknown[] = [0];
    list.push(list);
    return list;
  }),
  cycle("a way through an array", ".items[1].owner", () =>
    around((owner) => ({ items: [0, { owner }] })),
  ),
  cycle("a way through a Map's value", ".map[0][1]", () =>
    around((self) => ({ map: new Entries([["back", self]]) })),
  ),
  endless("a Map that is its own value", /^(\[0\]\[1\]){9}/, () => {
    const map = new Entries();
    return map.set("self", map);
  }),
  cycle("a way through a Set", ".set[0]", () => around((self) => ({ set: new Items([self]) }))),
  cycle("a toJSON that answers its parent", ".child", () =>
    around((self) => ({ child: { toJSON: () => self } })),
  ),
  cycle("a toJSON that answers what its parent is in", ".middle.child", () =>
    around((self) => ({ middle: { child: { toJSON: () => self } } })),
  ),
  endless("a toJSON that wraps what it is of", /^(\.again){9}/, () => {
    const self: Members = { toJSON: () => ({ again: self }) };
    return self;
  }),
  cycle("a toDict that holds its parent", ".message.parent", () =>
    around((parent) => ({ message: { toDict: () => ({ type: "human", data: { parent } }) } })),
  ),
  endless("a toDict that holds what it is of", /^(\.self){9}/, () => {
    const self: Members = { toDict: () => ({ type: "human", data: { self } }) };
    return self;
  }),
  cycle("a getter that answers what it is in", ".me", () => {
    const self = {};
    return Object.defineProperty(self, "me", { enumerable: true, get: () => self });
  }),
  endless("a getter that answers another proxy each time", /^(\.again){9}/, endlessProxy),
  cycle("a proxy of what it is in", ".self.self", () =>
    around((self) => ({ self: new Proxy(self, {}) })),
  ),
  cycle("an error that is its own cause", ".cause", () => {
    const error = new Error("x");
    return Object.defineProperty(error, "cause", { enumerable: true, value: error });
  }),
];

/** What JSON does not look into leads nowhere: each with what is written. */
export const NO_CYCLES: readonly { told: string; make: () => unknown; written: unknown }[] = [
  {
    told: "a way through a Map that shows nothing",
    make: () => around((self) => ({ map: new Map([["back", self]]) })),
    written: { map: {} },
  },
  {
    told: "a way through a Set that shows nothing",
    make: () => around((self) => ({ set: new Set([self]) })),
    written: { set: {} },
  },
  {
    told: "a way under a symbol",
    make: () => around((self) => ({ [Symbol("back")]: self, keep: 1 })),
    written: { keep: 1 },
  },
  {
    told: "a way through a member that is not listed",
    make: () => around((self) => Object.defineProperty({ keep: 1 }, "back", { value: self })),
    written: { keep: 1 },
  },
  {
    told: "a way that a toJSON cuts",
    make: () => around((self) => ({ keep: 1, self, toJSON: () => ({ keep: 1 }) })),
    written: { keep: 1 },
  },
];
