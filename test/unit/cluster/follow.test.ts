import { expect } from "chai";
import { follow } from "../../../src/cluster/follow.ts";
import { type Cluster, ClusterError, type WatchEvent } from "../../../src/cluster/port.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { reportResource } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";

/** What a list gives: the version of all, or a failure. */
type List = string | Error;
/** How a watch goes; "hang" is until it is aborted. */
type Watch = { events?: WatchEvent<ReportResource>[]; end: "return" | "hang" | Error };

/** Gives what is prepared in turn, and notes what was asked: "list", or the version that a watch is from. */
function clusterOf(lists: List[], watches: Watch[], asked: string[]): Cluster {
  const fake = {
    async list() {
      asked.push("list");
      const resourceVersion = lists.shift() ?? new Error("no more lists");
      if (resourceVersion instanceof Error) throw resourceVersion;
      return { items: [reportResource({}, { name: "listed", resourceVersion: "1" })], resourceVersion };
    },
    async *watch(_: string, { resourceVersion, signal }: { resourceVersion: string; signal: AbortSignal }) {
      asked.push(resourceVersion);
      const { events = [], end } = watches.shift() ?? { end: "hang" };
      yield* events;
      if (end instanceof Error) throw end;
      if (end === "hang" && !signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  return fake as unknown as Cluster;
}

const event = (type: "ADDED" | "DELETED", name: string, resourceVersion: string): WatchEvent<ReportResource> => ({
  type,
  object: reportResource({}, { name, resourceVersion }),
});
const bookmark = (resourceVersion: string): WatchEvent<ReportResource> => ({ type: "BOOKMARK", resourceVersion });
const expired = new ClusterError("Expired", "too old");

type Followed = { delivered: string[]; asked: string[] };

/** Follows until something named "last" is delivered, or listed for the `maxLists`-th time. */
async function followed(
  lists: List[],
  watches: Watch[],
  { resyncMs, maxLists = Number.POSITIVE_INFINITY }: { resyncMs?: number; maxLists?: number } = {},
): Promise<Followed> {
  const stop = new AbortController();
  const delivered: string[] = [];
  const asked: string[] = [];
  await follow(clusterOf(lists, watches, asked), "Report", stop.signal, {
    log: testLog,
    onList(items) {
      delivered.push(...items.map(({ metadata }) => metadata.name));
      if (delivered.filter((name) => name === "listed").length === maxLists) stop.abort();
    },
    onEvent(type, { metadata }) {
      delivered.push(`${type} ${metadata.name}`);
      if (metadata.name === "last") stop.abort();
    },
    ...(resyncMs === undefined ? {} : { resyncMs }),
  });
  return { delivered, asked };
}

describe("follow", () => {
  it("reports the list and then the changes, but no bookmarks", async () => {
    const events = [event("ADDED", "a", "2"), bookmark("9"), event("ADDED", "last", "10")];
    const { delivered, asked } = await followed(["1"], [{ events, end: "hang" }]);
    expect(delivered).to.deep.equal(["listed", "ADDED a", "ADDED last"]);
    expect(asked).to.deep.equal(["list", "1"]);
  });

  for (const [name, events, from] of [
    ["event", [bookmark("2"), event("ADDED", "a", "3")], "3"],
    ["deletion", [event("ADDED", "a", "3"), event("DELETED", "a", "4")], "4"],
    ["bookmark", [event("ADDED", "a", "3"), bookmark("9")], "9"],
    ["list, when there was nothing since,", [], "1"],
  ] as const) {
    for (const [how, end] of [
      ["ended", "return"],
      ["failed", new ClusterError("Unavailable", "away")],
    ] as const) {
      it(`goes on from the last ${name} when the watch ${how}`, async () => {
        const { asked } = await followed(
          ["1"],
          [
            { events: [...events], end },
            { events: [event("ADDED", "last", "20")], end: "hang" },
          ],
        );
        expect(asked).to.deep.equal(["list", "1", from]);
      });
    }
  }

  it("lists again when the watch became too old", async () => {
    const { delivered, asked } = await followed(
      ["1", "50"],
      [
        { events: [event("ADDED", "a", "3")], end: "return" },
        { end: expired },
        { events: [event("ADDED", "last", "51")], end: "hang" },
      ],
    );
    expect(asked).to.deep.equal(["list", "1", "3", "list", "50"]);
    expect(delivered).to.deep.equal(["listed", "ADDED a", "listed", "ADDED last"]);
  });

  for (const [how, end] of [
    ["fail", new ClusterError("Unavailable", "a version of the future")],
    ["end", "return"],
  ] as const) {
    it(`lists anew when three watches in a row ${how} without a word`, async () => {
      const silent: Watch[] = [{ end }, { end }, { end }];
      const watches: Watch[] = [{ events: [bookmark("5")], end }, ...silent];
      const { asked } = await followed(["1", "9"], watches, { maxLists: 2 });
      expect(asked.slice(0, 6)).to.deep.equal(["list", "1", "5", "5", "5", "list"]);
    });
  }

  it("delivers an event again when the handler failed", async () => {
    const stop = new AbortController();
    const asked: string[] = [];
    const events = [event("ADDED", "a", "3"), event("ADDED", "b", "4")];
    const watches: Watch[] = [
      { events, end: "hang" },
      { events: events.slice(1), end: "hang" },
    ];
    const delivered: string[] = [];
    await follow(clusterOf(["1"], watches, asked), "Report", stop.signal, {
      log: testLog,
      onList: () => {},
      onEvent(_, { metadata }) {
        delivered.push(metadata.name);
        if (metadata.name === "b" && delivered.length < 3) throw new Error("not now");
        if (delivered.length === 3) stop.abort();
      },
    });
    expect(delivered).to.deep.equal(["a", "b", "b"]);
    expect(asked).to.deep.equal(["list", "1", "3"]);
  });

  it("tries again when the list fails", async () => {
    const { delivered } = await followed([new Error("away"), "1"], [], { maxLists: 1 });
    expect(delivered).to.deep.equal(["listed"]);
  });

  it("lists again from time to time although the watch seems fine: its connection may be half open", async () => {
    const { delivered } = await followed(["1", "2"], [], { resyncMs: 20, maxLists: 2 });
    expect(delivered).to.deep.equal(["listed", "listed"]);
  });

  it("lists again from time to time although each watch continues the one before", async () => {
    const bookmarks = Array.from(
      { length: 1_000 },
      (_, n): Watch => ({ events: [bookmark(String(n))], end: "return" }),
    );
    const { delivered } = await followed(["1", "2"], bookmarks, { resyncMs: 20, maxLists: 2 });
    expect(delivered).to.deep.equal(["listed", "listed"]);
  });
});
