import { expect } from "chai";
import { createHosts } from "../../../../src/checker/engines/links/hosts.ts";

describe("links to other hosts", () => {
  const times = async (urls: readonly string[]): Promise<number[]> => {
    let time = 0;
    const now = () => time;
    const sleep = async (ms: number) => {
      time += ms;
    };
    const hosts = createHosts({ now, sleep });
    const begun: number[] = [];
    for (const url of urls) {
      await hosts.awaitTurn(url, new AbortController().signal);
      begun.push(time);
    }
    return begun;
  };

  it("are asked for five times a second at most, all names and ports of a domain together", async () => {
    const urls = Array.from({ length: 50 }, (_, n) => `http://n${n % 7}.stranger.co.uk:${8000 + (n % 3)}/${n}`);
    const begun = await times(urls);
    for (const [index, time] of begun.entries()) {
      const inSecond = begun.slice(index).filter((one) => one < time + 1_000);
      expect(inSecond.length, `from ${time} ms`).to.be.at.most(5);
    }
  });

  it("keep nobody waiting for another domain for long", async () => {
    const begun = await times(Array.from({ length: 50 }, (_, n) => `http://stranger${n}.test/`));
    expect(begun.at(-1)).to.be.below(2_000);
  });
});
