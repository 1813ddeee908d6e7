import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect } from "chai";
import { compressions, decompress } from "../../../src/net/decompress.ts";

const TEXT = Buffer.from("<!doctype html><title>A page</title>".repeat(20));
const read = (body: Buffer, encoding: string, maxBytes = 10_000) =>
  decompress(body, encoding, "http://a.example/", maxBytes);
const failureOf = (body: Buffer, encoding: string, maxBytes?: number) =>
  read(body, encoding, maxBytes).then(
    () => "",
    (error: Error) => error.message,
  );

describe("A compressed body", () => {
  for (const [encoding, body] of Object.entries({
    gzip: gzipSync(TEXT),
    "X-Gzip": gzipSync(TEXT),
    deflate: deflateSync(TEXT),
    // With other sizes of the window, whose number is in the same byte.
    " deflate ,": deflateSync(TEXT, { windowBits: 9 }),
    "identity, deflate": deflateRawSync(TEXT),
    br: brotliCompressSync(TEXT),
    zstd: zstdCompressSync(TEXT),
    "gzip, br": brotliCompressSync(gzipSync(TEXT)),
    identity: TEXT,
    "": TEXT,
  }))
    it(`is read as what it was before: ${JSON.stringify(encoding)}`, async () => {
      expect((await read(body, encoding)).equals(TEXT)).to.equal(true);
    });

  it("that ends too early yields what is complete, as in browsers", async () => {
    for (const [body, encoding] of [
      [gzipSync(TEXT), "gzip"],
      [deflateSync(TEXT), "deflate"],
    ] as const)
      expect(TEXT.toString().startsWith((await read(body.subarray(0, -6), encoding)).toString())).to.equal(true);
  });

  it("may be empty", async () => {
    expect((await read(Buffer.alloc(0), "br")).length).to.equal(0);
  });

  it("is not read beyond the limit, nor what it is not", async () => {
    expect(await read(gzipSync(TEXT), "gzip", TEXT.length)).to.have.length(TEXT.length);
    expect(await failureOf(gzipSync(TEXT), "gzip", TEXT.length - 1)).to.equal(
      "http://a.example/ is larger than 0.000719 MB.",
    );
    expect(await failureOf(TEXT, "gzip")).to.match(/could not be decompressed \(gzip: incorrect header check\)/);
    expect(await failureOf(TEXT, "toString")).to.match(/in an unknown way \(Content-Encoding: tostring\)/);
    expect(await failureOf(TEXT, "gzip, gzip, gzip")).to.match(/is compressed 3 times/);
    expect(compressions("gzip,gzip, identity")).to.deep.equal(["gzip", "gzip"]);
  });
});
