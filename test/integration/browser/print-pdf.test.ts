// More than ten seconds of processor time: each document is printed by a browser of its own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { printPdf } from "../../../src/browser/print-pdf.ts";
import { testLog } from "../../support/controller.ts";

describe("A document that is printed", () => {
  const options = { chromePath: process.env.CHROME_PATH, log: testLog, timeLimitMs: 100_000 };
  const pagesOf = (pdf: Uint8Array) =>
    Buffer.from(pdf)
      .toString("latin1")
      .match(/\/Type\s*\/Page\b(?!s)/g)?.length;

  it("is a PDF, a page for each of its pages", async () => {
    const pdf = await printPdf('<!doctype html><title>Two</title><p>One<p style="break-before: page">Two', options);
    expect(Buffer.from(pdf.subarray(0, 5)).toString()).to.equal("%PDF-");
    expect(pagesOf(pdf)).to.equal(2);
  });

  it("reaches nothing, whatever is in it, and runs no script", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("x");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const hostile = `<!doctype html><title>Hostile</title><link rel="stylesheet" href="${at}/style"><link rel="preconnect" href="${at}">
      <style>@import "${at}/import"; body { background: url(${at}/background) } @font-face { font-family: f; src: url(${at}/font) } p { font-family: f }</style>
      <script>document.body.style.breakBefore = "page"; fetch("${at}/fetch"); location = "${at}/script"</script>
      <img src="${at}/image" onerror="location='${at}/error'"><iframe src="file:///etc/passwd"></iframe><iframe src="${at}/frame"></iframe>
      <object data="${at}/object"></object><video src="${at}/video" poster="${at}/poster" autoplay></video>
      <meta http-equiv="refresh" content="0; url=${at}/refresh"><form action="${at}/form"><button autofocus>x</button></form><p>Text`;
    try {
      const pdf = await printPdf(hostile, options);
      expect(pagesOf(pdf)).to.equal(1);
      expect(asked).to.deep.equal([]);
    } finally {
      server.close();
    }
  });
});
