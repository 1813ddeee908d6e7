import { expect } from "chai";
import { follow, followDelay } from "../../src/cluster/follow.ts";
import { type Cluster, ClusterError, type WatchEvent } from "../../src/cluster/port.ts";
import type { ReportResource } from "../../src/schema/resources.ts";
import { reportResource } from "../support/builders.ts";
import { testLog } from "../support/controller.ts";

/** What one attempt meets: a list that fails, or a list and how its watch goes. */
type Round = { list: Error } | { events: WatchEvent<ReportResource>[]; end: "return" | "hang" | Error };

function clusterOf(rounds: Round[]): Cluster {
  let current: Round | undefined;
  const fake = {
    lists: 0,
    async list() {
      fake.lists++;
      current = rounds.shift();
      if (!current || "list" in current) throw current?.list ?? new Error("no more rounds");
      return { items: [reportResource({}, { name: `listed-${fake.lists}` })], resourceVersion: "1" };
    },
    async *watch(_: string, { signal }: { signal: AbortSignal }) {
      if (!current || "list" in current) return;
      yield* current.events;
      if (current.end instanceof Error) throw current.end;
      if (current.end === "hang" && !signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  return fake as unknown as Cluster;
}

const added = (name: string): WatchEvent<ReportResource> => ({ type: "ADDED", object: reportResource({}, { name }) });

/** Follows until `last` has been seen. */
async function seen(rounds: Round[], last: string, resyncMs?: number): Promise<string[]> {
  const stop = new AbortController();
  const names: string[] = [];
  const note = (name: string) => {
    names.push(name);
    if (name === last) stop.abort();
  };
  await follow(clusterOf(rounds), "Report", stop.signal, {
    log: testLog,
    onList: (items) => items.forEach(({ metadata }) => void note(metadata.name)),
    onEvent: (_, { metadata }) => note(metadata.name),
    ...(resyncMs === undefined ? {} : { resyncMs }),
  });
  return names;
}

describe("follow", () => {
  it("tells what is listed and then what changes, and nothing of bookmarks", async () => {
    const events = [added("a"), { type: "BOOKMARK", resourceVersion: "9" } as const, added("b")];
    expect(await seen([{ events, end: "hang" }], "b")).to.deep.equal(["listed-1", "a", "b"]);
  });

  for (const [name, end] of [
    ["ended", "return"],
    ["failed", new Error("broken")],
    ["became too old", new ClusterError("Expired", "too old")],
  ] as const) {
    it(`lists anew when the watch ${name}`, async () => {
      const rounds: Round[] = [
        { events: [added("a")], end },
        { events: [added("b")], end: "hang" },
      ];
      expect(await seen(rounds, "b")).to.deep.equal(["listed-1", "a", "listed-2", "b"]);
    });
  }

  it("tries again when the list fails", async () => {
    const rounds: Round[] = [{ list: new Error("away") }, { events: [], end: "hang" }];
    expect(await seen(rounds, "listed-2")).to.deep.equal(["listed-2"]);
  });

  it("lists anew now and then though the watch seems fine: it may be half open", async () => {
    const rounds: Round[] = [
      { events: [], end: "hang" },
      { events: [], end: "hang" },
    ];
    expect(await seen(rounds, "listed-2", 20)).to.deep.equal(["listed-1", "listed-2"]);
  });

  for (const [failures, random, expected] of [
    [0, 0, 50],
    [0, 1, 100],
    [3, 1, 800],
    [50, 1, 30_000],
  ] as const) {
    it(`waits ${expected} ms after ${failures} failures with the dice at ${random}`, () => {
      expect(followDelay(failures, random)).to.equal(expected);
    });
  }
});
