import { expect } from "chai";
import { createAsker } from "../../../../src/checks/links/engine/ask.ts";
import type { GuardedFetch } from "../../../../src/net/guarded-fetch.ts";

describe("Requests to other hosts", () => {
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
    const asker = createAsker({ http, keep: async () => {}, now: () => time, sleep });
    const options = { signal: new AbortController().signal, beforeRequest: async () => {}, mayAsk: async () => true };
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

  it("are five a second of a domain, however many hosts it has", async () => {
    for (const hostOf of [(n: number) => `h${n}.example.org`, (n: number) => `h${n}-192-0-2-1.nip.io`])
      expect(new Set(pauses(await timesOf(hosts(hostOf))))).to.deep.equal(new Set([200]));
  });

  it("are fifty a second in all, however many domains there are", async () => {
    expect(new Set(pauses(await timesOf(hosts((n) => `d${n}.example`))))).to.deep.equal(new Set([20]));
  });
});
