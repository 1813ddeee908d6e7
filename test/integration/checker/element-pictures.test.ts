import { expect } from "chai";
import { listDevices } from "../../../src/browser/devices.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { MAX_PICTURE_BYTES } from "../../../src/domain/findings/picture.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { readPng } from "../../support/png.ts";
import { serveSite } from "../../support/site.ts";

const page = (body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>t</title><meta name="viewport" content="width=device-width">${head}<style>body { margin: 0 }</style></head><body>${body}</body></html>`;
const button = (colour: string, style: string): string =>
  `<button style="border: 0; padding: 0; background: ${colour}; width: 60px; height: 40px; position: absolute; ${style}"></button>`;

describe("pictures of elements", () => {
  async function check(source: string, given: Partial<ReportSpec> = {}, headers = {}) {
    const spec = reportSpec({ storeScreenshot: true, ...given });
    const policy = addressPolicy(["127.0.0.0/8", "::1/128"]);
    const runner = await createAxeRunner({ chromePath: undefined, policy, spec, log: createLogger("error", {}) });
    const site = await serveSite({ "/": { body: source, headers: { "content-type": "text/html", ...headers } } });
    const task = { url: site.url, document: undefined, spec };
    const outcome = await runner.check(task, { signal: new AbortController().signal, beforeRequest: async () => {} });
    await Promise.all([site.close(), runner.close()]);
    if (!("issues" in outcome)) throw new Error(`not checked: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  /** The picture as a browser shows it. */
  async function decoded(webp: Uint8Array) {
    const image = `<img src="data:image/webp;base64,${Buffer.from(webp).toString("base64")}" style="display: block">`;
    const { screenshot } = await check(page(image));
    if (!screenshot) throw new Error("no screenshot");
    return readPng(screenshot.png);
  }

  for (const name of [undefined, "iPhone 15"])
    it(`show the element where it is in them, on ${name ?? "a desktop"}`, async () => {
      const device = (await listDevices()).find((one) => one.name === name);
      const outcome = await check(
        page(button("#ff0000", "left: 150px; top: 700px") + button("#0000ff", "left: 20px; top: 1200px")),
        {
          ...(device && { deviceId: device.id }),
        },
      );
      const [red, blue] = (outcome.pictures ?? []).filter(({ box }) => box.width === 60);
      if (!red || !blue) throw new Error("no pictures");
      expect([red.box.y, blue.box.y]).to.deep.equal([700, 1200]);
      for (const { webp } of [red, blue]) expect(webp.byteLength).to.be.within(50, MAX_PICTURE_BYTES);
      const pixels = await decoded(red.webp);
      const at = (x: number, y: number) => pixels.at(red.box.x - red.area.x + x, red.box.y - red.area.y + y);
      // WebP is lossy.
      expect(at(30, 20)).to.match(/^#?f[0-9a-f][01][0-9a-f][01][0-9a-f]/i);
      expect(at(-8, 20)).to.match(/^#?f[0-9a-f]f[0-9a-f]f[0-9a-f]/i);
      expect(at(68, 20)).to.match(/^#?f[0-9a-f]f[0-9a-f]f[0-9a-f]/i);
    });

  it("are cut whatever the page does to the functions that cut them, and whatever its policy forbids", async () => {
    const spoil =
      "<script>createImageBitmap = OffscreenCanvas = Blob = atob = btoa = () => { throw new Error('no') }</script>";
    const policy = {
      "content-security-policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
    };
    const outcome = await check(page(button("#ff0000", "left: 100px; top: 100px"), spoil), {}, policy);
    expect(outcome.pictures?.some(({ box }) => box.width === 60)).to.equal(true);
  });

  it("are not taken without a screenshot", async () => {
    const outcome = await check(page(button("#ff0000", "left: 100px; top: 100px")), { storeScreenshot: false });
    expect(outcome.pictures).to.equal(undefined);
  });
});
