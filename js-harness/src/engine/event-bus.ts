// What a run streams, on its way to whoever listens in this process.

/** One event of a run. `seq` counts from 1 and is where a reader that lost its connection goes on. */
export interface RunFrame {
  readonly seq: number;
  readonly event: string;
  readonly data: unknown;
}

/** How long the frames of an ended run can still be read. */
const REPLAY_MS = 60_000;

interface Channel {
  readonly frames: RunFrame[];
  readonly wake: Set<() => void>;
  readers: number;
  closed: boolean;
}

/** The frames of this process's runs, kept while a run executes and for a while after. */
export class RunEventBus {
  readonly #channels = new Map<string, Channel>();
  readonly #expiries = new Set<NodeJS.Timeout>();

  publish(runId: string, event: string, data: unknown): void {
    const channel = this.#channelOf(runId);
    if (channel.closed) return;
    channel.frames.push({ seq: channel.frames.length + 1, event, data });
    wakeAll(channel);
  }

  /** Ends every reader of the run once it has read what there is. */
  close(runId: string): void {
    const channel = this.#channelOf(runId);
    if (channel.closed) return;
    channel.closed = true;
    wakeAll(channel);
    const expiry = setTimeout(() => {
      this.#expiries.delete(expiry);
      this.#channels.delete(runId);
    }, REPLAY_MS);
    expiry.unref();
    this.#expiries.add(expiry);
  }

  /** Ends every reader of every run and forgets all frames. */
  closeAll(): void {
    for (const expiry of this.#expiries) clearTimeout(expiry);
    this.#expiries.clear();
    for (const channel of this.#channels.values()) {
      channel.closed = true;
      wakeAll(channel);
    }
    this.#channels.clear();
  }

  /** The frames after `afterSeq`, past and future, until the run's channel closes or the signal aborts. */
  async *subscribe(runId: string, afterSeq = 0, signal?: AbortSignal): AsyncGenerator<RunFrame> {
    const channel = this.#channelOf(runId);
    channel.readers += 1;
    try {
      let next = afterSeq;
      for (;;) {
        const frame = channel.frames[next];
        if (frame) {
          next += 1;
          yield frame;
        } else if (channel.closed || signal?.aborted) {
          return;
        } else {
          await nextChange(channel, signal);
        }
      }
    } finally {
      channel.readers -= 1;
      // Somebody waited for a run that does not execute here: nobody will ever close its channel.
      if (channel.readers === 0 && channel.frames.length === 0 && !channel.closed) {
        this.#channels.delete(runId);
      }
    }
  }

  #channelOf(runId: string): Channel {
    const existing = this.#channels.get(runId);
    if (existing) return existing;
    const channel: Channel = { frames: [], wake: new Set(), readers: 0, closed: false };
    this.#channels.set(runId, channel);
    return channel;
  }
}

function wakeAll(channel: Channel): void {
  for (const wake of channel.wake) wake();
}

function nextChange(channel: Channel, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      channel.wake.delete(done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    channel.wake.add(done);
    signal?.addEventListener("abort", done, { once: true });
  });
}
