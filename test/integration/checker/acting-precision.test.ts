// Takes a page for each sentence in Chromium, some of them with pauses: 15 s of processor time.
import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import type { A11yIssue } from "../../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { actingPage } from "../../support/acting-pages.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Site, serveSite } from "../../support/site.ts";

const TEXT = "<p>We bake our bread every morning, and deliver it by bicycle.</p>";
const WIDE = `<p style="width: 700px">We bake our bread every morning, and deliver it by bicycle to all who have ordered it.</p>`;

/** Pages as applications and manuals have them, of which a rule said what is not so. */
const pages: readonly [what: string, body: string, rule: string, says: "error" | "warning" | null][] = [
  [
    "a link that is called a button and that Enter presses is a question",
    `<p><a href="#hours" role="button">Opening hours</a></p><p id="hours">From six to noon.</p>`,
    ...(["sv-button-keys", "warning"] as const),
  ],
  [
    "a button that no key presses is an error",
    `<div role="button" tabindex="0" onclick="this.textContent = 'Shown'">Opening hours</div>`,
    ...(["sv-button-keys", "error"] as const),
  ],
  [
    "a text whose size changes little by little is not sized by the window",
    `<style>h2 { font-size: 20px; transition: 0.05s }</style><h2>Our bread</h2>${TEXT}`,
    ...(["sv-zoom-clips-text", null] as const),
  ],
  [
    "a text of a link that is pale until a mouse comes is a part of its name",
    `<style>span { opacity: 0 } a:hover span, a:focus span { opacity: 1 }</style>
    <p><a href="/hall"><img alt="..." src="data:,"> <span>The hall</span></a></p>`,
    ...(["sv-link-purpose", null] as const),
  ],
  [
    "what a mouse shows in a menu that is closed is not shown by that",
    `<style>.deep { display: none } .bar:hover .deep span { visibility: visible } .deep span { visibility: hidden }</style>
    <div class="bar"><a href="/bread">Bread</a><div class="deep"><span>Rye, spelt and wheat</span></div></div>`,
    ...(["sv-hover-only", null] as const),
  ],
  [
    "a drawer that waits beside the window makes no page wider",
    `<div style="position: fixed; top: 0; left: 0; width: 200px; transform: translateX(100vw)"><b>Filter of results</b></div>${WIDE}`,
    ...(["sv-reflow", "warning"] as const),
  ],
  [
    "a date beside a check box is no hint",
    `<ul><li><div><input type="checkbox" id="a"><label for="a"></label></div> <span>Order flour</span> <small class="badge">2 days</small></li></ul>`,
    ...(["sv-field-message", null] as const),
  ],
  [
    "a film that never has a sound needs no captions",
    `<iframe title="Dough" src="https://www.youtube-nocookie.com/embed/x?controls=0&amp;loop=1&amp;mute=1"></iframe>`,
    ...(["sv-captions", null] as const),
  ],
  [
    "a stop at which the focus shows a text is there for that",
    `<style>.more { display: none } .card:focus .more { display: block }</style>
    <div class="card" tabindex="0">Rye<span class="more">With caraway, from Tuesday on</span></div>`,
    ...(["sv-focus-order", null] as const),
  ],
  [
    "a name in a line of code may lead to two places",
    `<p><code>module Make (<a href="/make">G</a> : <a href="/types">G</a>)</code></p>`,
    ...(["sv-link-purpose", null] as const),
  ],
  [
    "a header cell that is not shown is not an empty one",
    `<table><tr><th>Bread</th><th>Price</th><th style="display: none"></th></tr><tr><td>Rye</td><td>4.20</td></tr></table>`,
    ...(["sv-table-headers", null] as const),
  ],
  [
    "a page that scrolls smoothly shows no focus by that",
    `<style>html { scroll-behavior: smooth } a { outline: none }</style><p>Bread</p><div style="height: 6000px"></div>
    <p><a href="#hours">Opening hours</a></p><p id="hours">From six to noon.</p>`,
    ...(["sv-focus-visible", "error"] as const),
  ],
  [
    "what changes when the focus goes does not show where it is",
    `<style>button { border: 0; outline: none }</style><p><button type="button">Bread</button></p><p id="times"></p>
    <script>addEventListener("focusout", () => { times.textContent += "Gone. " })</script>`,
    ...(["sv-focus-visible", "error"] as const),
  ],
  [
    "what one key has begun is not taken for what the next one does",
    `<div id="b" role="button" tabindex="0">Opening hours</div><p id="out">Closed</p>
    <script>b.onclick = () => { out.textContent = "Open" }
    b.onkeydown = (event) => { if (event.key !== " ") return; let times = 0;
      const turn = setInterval(() => { out.textContent = \`Opens \${times}\`; if (++times > 4) clearInterval(turn) }, 100) }</script>`,
    ...(["sv-button-keys", "warning"] as const),
  ],
  [
    "nothing is said of keys on a page that goes on changing",
    `<div id="b" role="button" tabindex="0">Opening hours</div><p id="out">0</p>
    <script>b.onclick = () => { out.textContent = "Open" }; setInterval(() => { out.textContent += "." }, 50)</script>`,
    ...(["sv-button-keys", null] as const),
  ],
  [
    "the focus under what a page opens for it is not judged",
    `<style>button { border: 0 } button:focus { outline: 1px solid #000 } #cover { position: fixed; inset: 0; background: #fff; display: none }</style>
    <p><button type="button">Bread</button> <input aria-label="Search" id="s" readonly></p><div id="cover" role="dialog" aria-label="Search">
    <p>Search for bread</p></div><script>s.onfocus = () => { cover.style.display = "block" }</script>`,
    ...(["sv-focus-visible", null] as const),
  ],
];

describe("What acting says of pages as they are", () => {
  let site: Site;
  let runner: EngineRunner;
  const spec = reportSpec({ performA11yChecks: true, a11yDepth: "acting", storeIncompleteChecks: true });

  before(async () => {
    site = await serveSite(Object.fromEntries(pages.map(([, body], at) => [`/${at}`, actingPage(body)])));
    const policy = addressPolicy(["127.0.0.0/8", "::1/128"]);
    runner = await createAxeRunner({ chromePath: undefined, policy, spec, log: createLogger("error", {}) });
  });
  after(async () => {
    await runner?.close();
    await site?.close();
  });

  for (const [at, [what, , rule, says]] of pages.entries())
    it(what, async () => {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
      const task = { url: new URL(`/${at}`, site.url).href, document: undefined, spec, likeOthers: false };
      const outcome = await runner.check(task, options);
      if ("failure" in outcome) throw new Error(JSON.stringify(outcome));
      const found = (outcome.issues as A11yIssue[]).filter((issue) => issue.rule === rule);
      expect(found.map(({ issue_type }) => issue_type)).to.deep.equal(says === null ? [] : [says]);
      const extracts = found.flatMap(({ html }) => html.map(({ extract }) => extract));
      expect(extracts.filter((extract) => extract.includes("Filter of results"))).to.deep.equal([]);
    });
});
