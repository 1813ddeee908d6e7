import { expect } from "chai";
import { createAsker } from "../../../../src/checker/engines/links/ask.ts";
import { createAllowance } from "../../../../src/checker/engines/links/hosts.ts";
import type { GuardedFetch } from "../../../../src/net/guarded-fetch.ts";

describe("Requests to other hosts", () => {
  const given = { signal: new AbortController().signal, beforeRequest: async () => {}, mayAsk: async () => true };
  /** When each of these addresses is requested, in ms, of a made clock. A response takes no time. */
  async function timesOf(urls: readonly string[]): Promise<number[]> {
    let time = 0;
    const asleep: { until: number; wake: () => void }[] = [];
    const times: number[] = [];
    const http: GuardedFetch = {
      get: async (url, { beforeRequest }) => {
        await beforeRequest(url);
        times.push(time);
        return { url, status: 200, headers: {}, body: undefined, redirects: [], timeLeft: 1 };
      },
      close: async () => {},
    };
    const sleep = (ms: number) => new Promise<void>((wake) => asleep.push({ until: time + ms, wake }));
    const asker = createAsker({
      http,
      keep: async () => {},
      pages: 1,
      resolvesNames: async () => true,
      now: () => time,
      sleep,
    });
    const options = {
      signal: new AbortController().signal,
      beforeRequest: async () => {},
      mayAsk: async () => true,
      since: 0,
    };
    const asked = Promise.all(urls.map((url) => asker.ask(url, "link", { ...options, page: "https://site.example/" })));
    let isDone = false;
    asked.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise(setImmediate);
      const [next] = asleep.toSorted((a, b) => a.until - b.until);
      if (!next) continue;
      time = Math.max(time, next.until);
      for (const one of asleep.splice(0)) one.until <= time ? one.wake() : asleep.push(one);
    }
    return times;
  }
  const pauses = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const hosts = (hostOf: (n: number) => string) => Array.from({ length: 30 }, (_, n) => `https://${hostOf(n)}/`);

  it("are made once, and once more for a page that is checked again since", async () => {
    const asked: string[] = [];
    const http: GuardedFetch = {
      get: async (url) => {
        asked.push(url);
        return { url, status: 404, headers: {}, body: undefined, redirects: [], timeLeft: 1 };
      },
      close: async () => {},
    };
    let time = 0;
    const asker = createAsker({
      http,
      keep: async () => {},
      pages: 1,
      resolvesNames: async () => true,
      now: () => time,
      sleep: async () => {},
    });
    const options = { ...given, page: "https://site.example/" };
    for (const since of [0, 0, 1, 1]) {
      await asker.ask("https://other.example/", "link", { ...options, since });
      time += 1_000;
    }
    // HEAD and GET each.
    expect(asked.length).to.equal(4);
  });

  it("are five a second of a domain, however many hosts it has", async () => {
    for (const hostOf of [(n: number) => `h${n}.example.org`, (n: number) => `h${n}-192-0-2-1.nip.io`])
      expect(new Set(pauses(await timesOf(hosts(hostOf))))).to.deep.equal(new Set([200]));
  });

  it("are fifty a second in all, however many domains there are", async () => {
    expect(new Set(pauses(await timesOf(hosts((n) => `d${n}.example`))))).to.deep.equal(new Set([20]));
  });

  it("are limited by the pages of a report, and for each domain", () => {
    const most = (pages: number, hostOf: (n: number) => string) => {
      const allowance = createAllowance(pages);
      return Array.from({ length: 60_000 }, (_, n) => allowance.take(`https://${hostOf(n)}/${n}`, true)).filter(Boolean)
        .length;
    };
    const each = (n: number) => `d${n}.example`;
    expect([1, 20, 100, 5_000].map((pages) => most(pages, each))).to.deep.equal([1_000, 1_000, 5_000, 50_000]);
    expect(most(5_000, (n) => `h${n}.example.org`)).to.equal(2_000);
  });
});
