import type { SlotGrant, SlotRequest } from "./core-slots.ts";

/** The channel to the parent process; `process` has this shape if the parent opened one. */
export type ParentChannel = {
  send?: ((message: SlotRequest, ...rest: [undefined, undefined, () => void]) => unknown) | undefined;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
  channel?: { unref(): void } | null | undefined;
};

type Slots = { acquire(signal: AbortSignal): Promise<() => void> };

/**
 * The slots of this machine's cores, for a process that was started by the job runner (core-slots.ts).
 *
 * @returns undefined for a process without such a parent
 */
export function requestSlots(parent: ParentChannel): Slots | undefined {
  if (!parent.send) return undefined;
  const waiting = new Map<number, () => void>();
  let nextId = 0;
  let connected = true;

  const send = (slot: SlotRequest["slot"], id: number): void => {
    // An error means that the parent is gone, and this process is about to end.
    if (connected) parent.send?.({ slot, id }, undefined, undefined, () => {});
  };
  const granted = (id: number): void => {
    waiting.get(id)?.();
    waiting.delete(id);
  };
  parent.on("message", (message) => {
    const { slot, id } = (message ?? {}) as Partial<SlotGrant>;
    if (slot === "granted" && id !== undefined) granted(id);
  });
  parent.once("disconnect", () => {
    connected = false;
    for (const id of [...waiting.keys()]) granted(id);
  });
  // The channel must not keep a process alive when it has nothing else to do.
  parent.channel?.unref();

  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        const abort = (): void => {
          if (!waiting.delete(id)) return;
          send("release", id);
          reject(signal.reason);
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        waiting.set(id, () => {
          signal.removeEventListener("abort", abort);
          resolve(() => send("release", id));
        });
        send("acquire", id);
      }),
  };
}
