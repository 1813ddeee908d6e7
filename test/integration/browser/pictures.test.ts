// 15 s of processor time: each picture is of a browser of its own, since credentials are a setting of a browser.
import { expect } from "chai";
import { openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

/** Who reads a report sees its pictures, and has no right to what opens the site. */
describe("pictures of pages that show the secrets of their site", function () {
  this.timeout(limitOf(40));
  let site: Site;
  before(async () => {
    const page = (body: string) => `<!DOCTYPE html><title>Own</title><style>* { font: 16px/1.5 monospace }
      [data-key]::after { content: attr(data-key) } .clipped { background: linear-gradient(red, blue) text; color: transparent }
      p { color: black !important; transition: all 10s }</style>${body}`;
    const bodies: Record<string, (key: string) => string> = {
      "a text": (key) => `<p>Your key is ${key}.`,
      "a field": (key) =>
        `<input value="${key}"><input placeholder="${key}"><textarea>${key}</textarea><select><option>${key}</select>`,
      "a button": (key) => `<button>${key}</button><input type="button" value="${key}">`,
      "an attribute that is painted": (key) => `<p data-key="${key}">Key`,
      "an image, and in place of one": (key) => `<svg><text y="20">${key}</text></svg><img alt="${key}" src="/none">`,
      "the shape of a background": (key) => `<p class="clipped">${key}`,
      "a frame": (key) => `<iframe srcdoc="<p style='font: 16px monospace'>${key}"></iframe>`,
      "a shadow root": (key) =>
        `<x-key></x-key><script>document.querySelector("x-key").attachShadow({ mode: "open" }).innerHTML = "<p>${key}</p><input value='${key}'>"</script>`,
    };
    const all = Object.values(bodies);
    site = await serveSite({
      "*": ({ url = "", headers }, response) => {
        const key = headers["x-key"]?.toString() ?? "0000000000000000";
        const name = decodeURIComponent(url.slice(1));
        const closed = `<x-key></x-key><script>document.querySelector("x-key").attachShadow({ mode: "closed" }).textContent = "${name === "closed" ? key : "text"}"</script>`;
        const watching = `<p id="seen">${key}</p><script>let changes = 0; new MutationObserver((all) => { changes += all.length }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });</script>`;
        const body =
          bodies[name]?.(key) ??
          (/closed/.test(name) ? closed : name === "watching" ? watching : all.map((one) => one(key)).join(""));
        response.setHeader("content-type", "text/html").end(page(body));
      },
    });
    names.push(...Object.keys(bodies));
  });
  after(() => site.close());
  const names: string[] = [];

  const taken = async (path: string, key: string | undefined, look?: () => unknown) => {
    const { host } = new URL(site.url);
    const browser = await openBrowser({
      ...{
        chromePath: undefined,
        log: createLogger("error", {}),
        device: defaultDevice,
        policy: addressPolicy(["127.0.0.0/8"]),
      },
      credentials: key === undefined ? undefined : { host, headers: [{ name: "X-Key", value: key }] },
    });
    try {
      return await browser.withTab({ signal: new AbortController().signal, timeLimitMs: limitOf(20) }, async (tab) => {
        await tab.load(`${site.origin}/${encodeURIComponent(path)}`, {
          beforeRequest: async () => {},
          checkResponse: () => {},
        });
        const picture = await tab.screenshot();
        const seen = look && (await tab.call(await tab.createWorld(tab.mainFrameId), look));
        return { png: picture && Buffer.from(picture.png), seen };
      });
    } finally {
      await browser.close();
    }
  };

  it("do not show them, wherever the page does: text, field, attribute, image, frame, shadow root", async () => {
    const shown = await taken("all", undefined);
    for (const name of ["all", ...names]) {
      const [one, other] = [await taken(name, "k3y-0f-th3-s1te-"), await taken(name, "QqqqqQwwwwWeeeeE")];
      expect(one.png?.length, name).to.be.above(500);
      expect(one.png?.equals(other.png ?? Buffer.alloc(0)), name).to.equal(true);
    }
    const masked = await taken("all", "0000000000000000");
    expect(shown.png?.equals(masked.png ?? Buffer.alloc(0)), "without credentials it is shown").to.equal(false);
  });

  it("are not kept if one is in a closed shadow root, and are if it has another text", async () => {
    expect((await taken("closed", "k3y-0f-th3-s1te-")).png).to.equal(undefined);
    expect((await taken("enclosed", "k3y-0f-th3-s1te-")).png?.length).to.be.above(500);
  });

  it("change nothing of the page", async () => {
    const look = () => [
      document.adoptedStyleSheets.length,
      CSS.highlights.size,
      document.querySelector("#seen")?.outerHTML,
    ];
    const { seen } = await taken("watching", "k3y-0f-th3-s1te-", look);
    expect(seen).to.deep.equal([0, 0, '<p id="seen">k3y-0f-th3-s1te-</p>']);
  });
});
