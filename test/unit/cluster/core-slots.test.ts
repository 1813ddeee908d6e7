import { EventEmitter } from "node:events";
import { expect } from "chai";
import { type CoreSlots, createCoreSlots } from "../../../src/cluster/local/core-slots.ts";
import { requestSlots } from "../../../src/cluster/local/request-slots.ts";

describe("the slots of a machine's cores", () => {
  const { signal } = new AbortController();

  /** A process that is connected to the slots, as by the channel between parent and child. */
  function processOf(slots: CoreSlots) {
    const events = new EventEmitter();
    const connection = slots.connect((grant) => events.emit("message", grant));
    const parent = Object.assign(events, { send: (message: unknown) => connection.receive(message) });
    const requested = requestSlots(parent);
    if (!requested) throw new Error("The process has a parent.");
    const granted: string[] = [];
    return {
      granted,
      receive: connection.receive,
      acquire: (name: string, until = signal) =>
        requested.acquire(until).then((release) => {
          granted.push(name);
          return release;
        }),
      end: () => {
        connection.close();
        events.emit("disconnect");
      },
    };
  }
  /** All that is granted by now has arrived. */
  const arrived = () => new Promise(setImmediate);

  it("are granted in the order of arrival, over all processes, and never more than there are", async () => {
    const slots = createCoreSlots(2);
    const [a, b] = [processOf(slots), processOf(slots)];
    const first = a.acquire("a1");
    a.acquire("a2");
    b.acquire("b1");
    a.acquire("a3");
    await arrived();
    expect([a.granted, b.granted]).to.deep.equal([["a1", "a2"], []]);
    (await first)();
    await arrived();
    expect([a.granted, b.granted]).to.deep.equal([["a1", "a2"], ["b1"]]);
  });

  it("are free again when the process that holds them ends, and when it has died", async () => {
    const slots = createCoreSlots(1);
    const [a, b] = [processOf(slots), processOf(slots)];
    a.acquire("a1");
    a.acquire("a2");
    b.acquire("b1");
    await arrived();
    a.end();
    await arrived();
    expect(b.granted).to.deep.equal(["b1"]);
  });

  it("are not granted to who no longer wants one", async () => {
    const slots = createCoreSlots(1);
    const [a, b] = [processOf(slots), processOf(slots)];
    const release = await a.acquire("a1");
    const stop = new AbortController();
    const given = b.acquire("b1", stop.signal).catch((reason: Error) => reason.message);
    b.acquire("b2");
    stop.abort(new Error("not any more"));
    release();
    await arrived();
    expect(await given).to.equal("not any more");
    expect(b.granted).to.deep.equal(["b2"]);
  });

  it("are not multiplied by one that is given back twice, nor by other messages", async () => {
    const slots = createCoreSlots(1);
    const a = processOf(slots);
    const release = await a.acquire("a1");
    release();
    release();
    for (const message of [null, "acquire", { slot: "release", id: 7 }, { slot: "release", id: "0" }, { slot: "all" }])
      a.receive(message);
    a.acquire("a2");
    a.acquire("a3");
    await arrived();
    expect(a.granted).to.deep.equal(["a1", "a2"]);
  });

  it("are not requested by a process that has its machine to itself", () => {
    expect(requestSlots(new EventEmitter())).to.equal(undefined);
  });
});
