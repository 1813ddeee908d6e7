import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import express from "express";
import { request } from "undici";
import { gzipped, usesGzip } from "../../../src/responses/gzip.ts";
import { immutable, sendFile, versioned } from "../../../src/responses/send-file.ts";

const LONG = "all work and no play ".repeat(100);

describe("What the service sends", () => {
  const server = createServer();
  let url = "";

  before(async () => {
    const app = express().disable("etag");
    const files = {
      "/long": await versioned("text/css", LONG, { "X-Of": "ours" }),
      "/short": await versioned("text/css", "a"),
      "/picture": await immutable("image/png", Buffer.from(LONG)),
    };
    for (const [path, file] of Object.entries(files)) app.get(path, (asked, reply) => sendFile(asked, reply, file));
    app.get("/made/:bytes", async (asked, reply) => {
      const body = Buffer.alloc(Number(asked.params.bytes), "a");
      reply.set("ETag", asked.query.etag ? String(asked.query.etag) : '"made"');
      reply.send(usesGzip(asked, reply, body.length) ? await gzipped(reply, body) : body);
    });
    server.on("request", app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function get(path: string, headers: Record<string, string> = {}) {
    const reply = await request(url + path, { headers });
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    const { "content-encoding": encoding, etag, vary, "cache-control": cached } = reply.headers;
    const text = (encoding === "gzip" ? gunzipSync(bytes) : bytes).toString();
    return { status: reply.statusCode, encoding, etag, vary, cached, type: reply.headers["content-type"], text };
  }
  const gzip = { "accept-encoding": "gzip" };

  it("is compressed for who takes that, with an ETag that does not stand for the bytes", async () => {
    const [plain, small] = [await get("/long"), await get("/long", gzip)];
    expect(plain).to.deep.include({ status: 200, encoding: undefined, text: LONG, type: "text/css; charset=utf-8" });
    expect(plain.etag).to.match(/^"[\w-]{27}"$/);
    expect(small).to.deep.equal({ ...plain, encoding: "gzip", etag: `W/${plain.etag}` });
    expect(plain).to.include({ vary: "Accept-Encoding", cached: "public, max-age=300" });
  });

  it("is not compressed where that saves no packet, and then differs for nobody", async () => {
    expect(await get("/short", gzip)).to.include({ encoding: undefined, vary: undefined, text: "a" });
    expect(await get("/made/999", gzip)).to.include({ encoding: undefined, vary: undefined });
    expect(await get("/made/1000", gzip)).to.include({ encoding: "gzip", vary: "Accept-Encoding", etag: 'W/"made"' });
  });

  it("is not compressed for who would rather have it as it is", async () => {
    for (const accepted of ["identity", "br", "gzip;q=0.5, identity;q=0.9", "gzip;q=0"])
      expect(await get("/long", { "accept-encoding": accepted })).to.include({ encoding: undefined, text: LONG });
  });

  it("keeps an ETag that is weak already", async () => {
    expect((await get('/made/2000?etag=W/"weak"', gzip)).etag).to.equal('W/"weak"');
  });

  it("is not sent to who has it, under either of its ETags", async () => {
    const etag = String((await get("/long")).etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
      expect(await get("/long", { "if-none-match": known })).to.deep.include({ status: 304, text: "", etag });
    for (const known of ['"other"', etag.slice(0, -2)])
      expect(await get("/long", { "if-none-match": known })).to.deep.include({ status: 200, text: LONG });
  });

  it("is sent again without an ETag, and need not be asked for again when its address has its version", async () => {
    const file = await get("/picture", { ...gzip, "if-none-match": '"any"' });
    expect(file).to.include({
      status: 200,
      text: LONG,
      cached: "public, max-age=31536000, immutable",
      encoding: "gzip",
    });
  });
});
