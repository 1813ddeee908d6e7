/** What a process sends to get a slot or to give one back, and what it receives. */
export type SlotRequest = { slot: "acquire" | "release"; id: number };
export type SlotGrant = { slot: "granted"; id: number };

/** The slots of one machine's cores, for the processes of its pods. */
export type CoreSlots = {
  /** Connects a process: its requests are granted in the order of arrival, over all processes. */
  connect(send: (grant: SlotGrant) => void): {
    /** Handles a message from the process. Ignores messages other than SlotRequests. */
    receive(message: unknown): void;
    /** The process has ended: frees the slots that it held. */
    close(): void;
  };
};

/** @param count how many slots there are */
export function createCoreSlots(count: number): CoreSlots {
  type Holder = { send: (grant: SlotGrant) => void; held: Set<number> };
  const waiting: { holder: Holder; id: number }[] = [];
  let free = count;

  const grant = (): void => {
    while (free > 0) {
      const next = waiting.shift();
      if (!next) return;
      free -= 1;
      next.holder.held.add(next.id);
      next.holder.send({ slot: "granted", id: next.id });
    }
  };
  const withdraw = (unwanted: (request: { holder: Holder; id: number }) => boolean): void => {
    const kept = waiting.filter((request) => !unwanted(request));
    waiting.splice(0, waiting.length, ...kept);
  };

  return {
    connect(send) {
      const holder: Holder = { send, held: new Set() };
      return {
        receive(message) {
          if (!isSlotRequest(message)) return;
          const { id } = message;
          if (message.slot === "acquire") waiting.push({ holder, id });
          else if (holder.held.delete(id)) free += 1;
          else withdraw((request) => request.holder === holder && request.id === id);
          grant();
        },
        close() {
          withdraw((request) => request.holder === holder);
          free += holder.held.size;
          holder.held.clear();
          grant();
        },
      };
    },
  };
}

function isSlotRequest(message: unknown): message is SlotRequest {
  if (typeof message !== "object" || message === null) return false;
  const { slot, id } = message as Partial<SlotRequest>;
  return (slot === "acquire" || slot === "release") && Number.isSafeInteger(id);
}
