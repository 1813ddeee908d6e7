import { expect } from "chai";
import { openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice, listDevices } from "../../../src/browser/devices.ts";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { measureElements } from "../../../src/checker/engines/axe/measure-in-page.ts";
import { readAxe } from "../../../src/checker/engines/axe/page.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import type { Box } from "../../../src/domain/findings/box.ts";
import type { Screenshot } from "../../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Pixels, readPng } from "../../support/png.ts";
import { serveSite } from "../../support/site.ts";

type Found = { boxes: Record<string, Box | null>; screenshot: Screenshot; pixels: Pixels };

/** A fault that can be seen: a button without a name, which has one colour and no border. */
const button = (id: string, colour: string, style: string): string =>
  `<button id="${id}" style="border: 0; padding: 0; background: ${colour}; width: 50px; height: 30px; ${style}"></button>`;
const page = (body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>t</title>${head}<style>body { margin: 0 }</style></head><body>${body}</body></html>`;
const asAttribute = (html: string): string => html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const responsive = '<meta name="viewport" content="width=device-width, initial-scale=1">';
const red = button("red", "#ff0000", "position: absolute; left: 100px; top: 1500px");

describe("the boxes of elements", () => {
  let runner: EngineRunner;

  const createRunner = (spec: Partial<ReportSpec> = {}): Promise<EngineRunner> =>
    createAxeRunner({
      chromePath: undefined,
      policy: addressPolicy(["127.0.0.0/8", "::1/128"]),
      spec: reportSpec({ storeScreenshot: true, ...spec }),
      log: createLogger("error", {}),
    });
  before(async () => {
    runner = await createRunner();
  });
  after(() => runner.close());

  /** The box of each element with a fault, by its id. */
  async function check(source: string, on = runner): Promise<Found> {
    const site = await serveSite({ "/": source });
    const task = { url: site.url, document: undefined, spec: reportSpec() };
    const outcome = await on.check(task, { signal: new AbortController().signal, beforeRequest: async () => {} });
    await site.close();
    if (!("issues" in outcome) || outcome.kind !== "a11y" || !outcome.screenshot) throw new Error("not checked");
    const elements = outcome.issues.flatMap(({ html }) => html);
    const boxes = elements.map(({ extract, box }) => [/^<\w+ id="(\w+)"/.exec(extract)?.[1] ?? extract, box ?? null]);
    return {
      boxes: Object.fromEntries(boxes),
      screenshot: outcome.screenshot,
      pixels: readPng(outcome.screenshot.png),
    };
  }

  /** The picture shows the colour all over the box, and another one on each side of it. */
  function expectThere({ boxes, screenshot, pixels }: Found, id: string, colour: string): void {
    const box = boxes[id];
    if (!box) throw new Error(`${id} has no box`);
    const { scale } = screenshot;
    // Whole pixels of the device.
    expect(pixels.width).to.be.closeTo(screenshot.width * scale, 1);
    expect(pixels.height).to.be.closeTo(screenshot.height * scale, 1);
    const [left, right] = [box.x * scale, (box.x + box.width) * scale];
    const [top, bottom] = [box.y * scale, (box.y + box.height) * scale];
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const at = (px: number, py: number) => pixels.at(Math.floor(px), Math.floor(py));
    // A pixel from each edge: those of a box are whole CSS pixels, which the device's need not be.
    const inside = [at(x, y), at(left + 1, y), at(right - 2, y), at(x, top + 1), at(x, bottom - 2)];
    expect(new Set(inside), `${id} in ${JSON.stringify(box)}`).to.deep.equal(new Set([colour]));
    const outside = [at(left - 2, y), at(right + 1, y), at(x, top - 2), at(x, bottom + 1)];
    expect(outside, `around ${id}`).to.not.include(colour);
  }

  it("are where the elements are, in the document and in the screenshot", async () => {
    const found = await check(page(`${red}${button("blue", "#0000ff", "margin: 20px 0 0 30.4px")}`));
    expect(found.boxes).to.deep.include({
      red: { x: 100, y: 1500, width: 50, height: 30 },
      // Whole pixels that contain it.
      blue: { x: 30, y: 20, width: 51, height: 30 },
    });
    expect(found.screenshot).to.include({ width: 800, height: 1530, scale: 1 });
    expectThere(found, "red", "#ff0000");
  });

  it("are those in the document where the page is scrolled", async () => {
    const found = await check(page(`${red}<div style="height: 3000px"></div><script>scrollTo(0, 900)</script>`));
    expect(found.boxes.red).to.deep.equal({ x: 100, y: 1500, width: 50, height: 30 });
    expectThere(found, "red", "#ff0000");
  });

  it("are there for elements in shadow roots and in boxes that scroll", async () => {
    const inside = button("inside", "#00ff00", "margin: 400px 0 900px 40px");
    const scroller = `<div id="scroller" tabindex="0" style="height: 100px; overflow: auto">${inside}</div>`;
    const shadow = `<div id="host" style="margin: 60px"></div><script>
      host.attachShadow({ mode: "open" }).innerHTML = ${JSON.stringify(button("deep", "#ff00ff", "display: block"))};
      scroller.scrollTo(0, 380)</script>`;
    const found = await check(page(`${scroller}${shadow}`));
    expect(found.boxes).to.deep.include({
      deep: { x: 60, y: 160, width: 50, height: 30 },
      inside: { x: 40, y: 20, width: 50, height: 30 },
    });
    for (const [id, colour] of [
      ["deep", "#ff00ff"],
      ["inside", "#00ff00"],
    ] as const)
      expectThere(found, id, colour);
  });

  it("are there for elements in frames, also nested and scrolled ones, as far as they can be seen", async () => {
    const frame = (source: string, style: string) =>
      `<iframe title="${style.length}" style="${style}" srcdoc="${asAttribute(source)}"></iframe>`;
    const inner = page(
      `${button("seen", "#00ffff", "position: absolute; left: 20px; top: 310px")}
      ${button("below", "#ffff00", "position: absolute; left: 20px; top: 900px")}
      ${button("cut", "#0000ff", "position: absolute; left: 80px; top: 390px")}
      <script>scrollTo(0, 300)</script>`,
    );
    const middle = page(
      frame(inner, "position: absolute; left: 30px; top: 50px; width: 200px; height: 100px; border: 0"),
    );
    const style =
      "position: absolute; left: 200px; top: 700px; width: 400px; height: 300px; border: 5px solid; padding: 7px";
    const turned = page(button("turned", "#808000", ""));
    const found = await check(
      page(`${frame(middle, style)}${frame(turned, "position: absolute; top: 1200px; transform: scale(0.5)")}`),
    );
    expect(found.boxes).to.deep.include({
      // 200 + 5 + 7 + 30 + 20 and 700 + 5 + 7 + 50 + 10
      seen: { x: 262, y: 772, width: 50, height: 30 },
      cut: { x: 322, y: 852, width: 50, height: 10 },
      below: null,
      turned: null,
    });
    expectThere(found, "seen", "#00ffff");
  });

  it("are null for elements that take no room, or are beyond the edges of the page", async () => {
    const { boxes } = await check(
      page(`${button("gone", "#ff0000", "position: absolute; left: -9999px")}
        ${button("flat", "#ff0000", "height: 0")}
        ${button("half", "#ff0000", "position: absolute; left: -20px; top: 40px")}
        ${button("huge", "#ff0000", "position: absolute; left: 9000000px; top: 40px")}`),
    );
    expect(boxes).to.deep.include({ gone: null, flat: null, huge: null });
    expect(boxes.half).to.deep.equal({ x: 0, y: 40, width: 30, height: 30 });
  });

  it("are measured where the page's scripts and names change nothing", async () => {
    const names = ["getBoundingClientRect", "checkVisibility", "x", "scrollX", "scrollY", "axe"];
    const form = `<form id="form" role="button" style="position: absolute; left: 10px; top: 200px; width: 80px; height: 40px">
      ${names.map((name) => `<input type="hidden" name="${name}" id="${name}">`).join("")}</form>`;
    const hostile = `<script>
      const lie = () => ({ x: NaN, y: 1e300, width: -1, height: Infinity });
      Element.prototype.getBoundingClientRect = lie;
      Element.prototype.checkVisibility = () => false;
      Object.defineProperty(window, "scrollY", { get: () => 1e9 });
      addEventListener("resize", () => { red.style.top = "0" });
    </script>`;
    const found = await check(page(`${red}${form}${hostile}`));
    expect(found.boxes).to.deep.include({
      red: { x: 100, y: 1500, width: 50, height: 30 },
      form: { x: 10, y: 200, width: 80, height: 40 },
    });
    // Nor does what a script does when the picture is taken.
    expectThere(found, "red", "#ff0000");
  });

  const devices: [name: string, head: string, expected: object][] = [
    ["iPhone 13", responsive, { width: 390, scale: 3 }],
    // Laid out for a large screen, and shown smaller.
    ["iPhone 13", "", { width: 980, scale: 3 }],
    ["Pixel 2", responsive, { width: 411, scale: 2.625 }],
    ["iPad Pro 11 landscape", responsive, { width: 1194, scale: 2 }],
  ];
  for (const [name, head, expected] of devices)
    it(`relate to the screenshot of ${name}, ${head === "" ? "of a page for large screens" : "of a page that fits"}`, async () => {
      const device = (await listDevices()).find((one) => one.name === name);
      const on = await createRunner({ deviceId: device?.id ?? "" });
      try {
        const found = await check(page(`<div style="height: 50vh"></div>${red}`, head), on);
        expect(found.boxes.red).to.deep.equal({ x: 100, y: 1500, width: 50, height: 30 });
        expect(found.screenshot).to.deep.include(expected);
        expectThere(found, "red", "#ff0000");
      } finally {
        await on.close();
      }
    });

  it("are not looked for when that takes too long, as in a page made for it", async () => {
    const { source } = await readAxe();
    const policy = addressPolicy(["127.0.0.0/8"]);
    const log = createLogger("error", {});
    const browser = await openBrowser({ chromePath: undefined, policy, log, device: defaultDevice });
    const site = await serveSite({ "/": page(red) });
    try {
      const measured = await browser.withTab(
        { signal: new AbortController().signal, timeLimitMs: 250_000 },
        async (tab) => {
          await tab.load(site.url, { beforeRequest: async () => {}, checkResponse: () => {} });
          const world = await tab.createWorld(tab.mainFrameId);
          await tab.run(world, source);
          return [
            await tab.call(world, measureElements, ["#red", "#none"], 200_000),
            await tab.call(world, measureElements, ["#red", "#red"], -1),
          ];
        },
      );
      expect(measured).to.deep.equal([
        [[100, 1500, 50, 30], null],
        [null, null],
      ]);
    } finally {
      await browser.close();
      await site.close();
    }
  });

  it("may be below the screenshot of a page that is very tall", async () => {
    const found = await check(page(button("low", "#ff0000", "position: absolute; top: 9000px")));
    expect(found.boxes.low).to.deep.equal({ x: 0, y: 9000, width: 50, height: 30 });
    expect(found.screenshot).to.include({ width: 800, height: 8000 });
  });
});
