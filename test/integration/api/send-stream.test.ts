import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import express from "express";
import { sendStream } from "../../../src/api/http/response/send-stream.ts";
import { eventually } from "../../support/wait.ts";

describe("a response that is made while it is read", () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** Serves these pieces. `ended` says whether they are asked for no more. */
  async function serve(pieces: AsyncGenerator<string>, maxStallMs?: number) {
    let ended = false;
    async function* chunks() {
      try {
        yield* pieces;
      } finally {
        ended = true;
      }
    }
    const { signal } = new AbortController();
    const app = express();
    app.get("/", (asked, response) => {
      const body = { type: "text/csv", filename: "a.csv", chunks: chunks() };
      // Its errors are the caller's business: here the client is what matters.
      sendStream(asked, response, body, signal, maxStallMs).catch(() => {});
    });
    const server = app.listen(0, "127.0.0.1");
    closers.push(() => server.close());
    await once(server, "listening");
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ended: () => ended };
  }

  async function* endless() {
    for (;;) yield "x".repeat(100_000);
  }

  async function* broken() {
    yield "the first of two pieces";
    throw new Error("The database has gone.");
  }

  it("is cut off when its client reads nothing", async () => {
    const { url, ended } = await serve(endless(), 200);
    const sent = request(url, { agent: false }).on("error", () => {});
    closers.push(() => sent.destroy());
    sent.end();
    await once(sent, "response");
    await eventually(async () => ended());
  });

  it("is cut off when something fails on the way, so that nobody takes a part for the whole", async () => {
    const { url } = await serve(broken());
    const read = await fetch(url)
      .then((response) => response.text())
      .catch((error: unknown) => error);
    expect(read).to.be.instanceOf(Error);
  });
});
