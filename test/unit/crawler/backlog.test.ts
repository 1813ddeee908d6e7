import { expect } from "chai";
import { createBacklog, type Sources } from "../../../src/crawler/backlog.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

const log = createLogger("error", {});
log.silent = true;
const limits = { pages: 100, bytes: 1_000 };

describe("the backlog of pages that are not checked", () => {
  let stored: Sources;
  let reads: number;
  let time: number;
  /** What happens while the crawl sleeps. */
  let meanwhile: () => void;

  beforeEach(() => {
    stored = { pages: 0, bytes: 0 };
    reads = 0;
    time = 0;
    meanwhile = () => {};
  });

  const open = () =>
    createBacklog({
      read: async () => {
        reads += 1;
        return { ...stored };
      },
      sleep: async (ms) => {
        time += ms;
        meanwhile();
      },
      now: () => time,
      log,
      limits,
    });

  it("is read only when it may have grown beyond its limits", async () => {
    const backlog = open();
    for (let pages = 1; pages <= 100; pages++) await backlog.awaitRoom({ pages, bytes: 0 });
    expect([reads, time]).to.deep.equal([1, 0]);
    await backlog.awaitRoom({ pages: 102, bytes: 0 });
    expect([reads, time]).to.deep.equal([2, 0]);
  });

  it("makes the crawl wait until checks have ended, by pages and by bytes", async () => {
    for (const full of [
      { pages: 101, bytes: 0 },
      { pages: 1, bytes: 1_001 },
    ]) {
      time = 0;
      stored = full;
      meanwhile = () => {
        if (time >= 5_000) stored = { pages: 0, bytes: 0 };
      };
      await open().awaitRoom(full);
      expect(time).to.equal(5_000);
    }
  });

  it("is not read again after a wait before the crawl has filled a fifth of it", async () => {
    const backlog = open();
    stored = { pages: 101, bytes: 0 };
    meanwhile = () => {
      stored = { pages: stored.pages - 7, bytes: 0 };
    };
    await backlog.awaitRoom({ pages: 101, bytes: 0 });
    expect([stored.pages, reads]).to.deep.equal([80, 4]);
    for (let pages = 102; pages <= 121; pages++) await backlog.awaitRoom({ pages, bytes: 0 });
    expect(reads).to.equal(4);
  });

  it("never makes it wait for ever: without any checker it goes on slowly, and fast again when checks end", async () => {
    const backlog = open();
    stored = { pages: 101, bytes: 0 };
    await backlog.awaitRoom(stored);
    expect(time).to.equal(60_000);
    for (let pages = 102; pages <= 401; pages++) {
      stored = { pages, bytes: 0 };
      await backlog.awaitRoom(stored);
    }
    expect(time).to.be.within(10 * 60_000, 14 * 60_000);
    stored = { pages: 10, bytes: 0 };
    const before = time;
    await backlog.awaitRoom({ pages: 490, bytes: 0 });
    stored = { pages: 101, bytes: 0 };
    await backlog.awaitRoom({ pages: 600, bytes: 0 });
    expect(time - before).to.equal(60_000);
  });
});
