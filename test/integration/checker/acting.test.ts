import { createHash } from "node:crypto";
import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import type { A11yIssue } from "../../../src/domain/findings/findings.ts";
import { componentKey } from "../../../src/domain/identity/fingerprint.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { actingPage, actingPages, tone } from "../../support/acting-pages.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const log = createLogger("error", {});
const scripts = { "content-type": "text/javascript" };
const acting = { a11yDepth: "acting", storeIncompleteChecks: true } as const;

/** Pages that show what a rule must tell apart, besides those of the made set. */
const special = {
  frame: `<p><a href="/prices">Prices</a></p><iframe title="Order" srcdoc="${actingPage(actingPages["sv-keyboard-trap"].fails[0]).replaceAll('"', "&quot;")}"></iframe>`,
  shadow: `<div id="host"></div><script>
    const root = host.attachShadow({ mode: "open" });
    root.innerHTML = "<label>Note <input></label>";
    root.querySelector("input").onkeydown = (event) => { if (event.key === "Tab") event.preventDefault(); };
  </script>`,
  dialog: `<p><a href="/prices">Prices</a></p><div role="dialog" aria-label="Cookies" id="box"><button id="yes">Yes</button>
    <button id="no">No</button></div><script>
    yes.focus();
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Tab") return;
      event.preventDefault();
      (document.activeElement === yes ? no : yes).focus();
    })</script>`,
  date: `<label>Day <input type="date"></label> <label>Time <input type="time"></label> <p><a href="/prices">Prices</a></p>`,
  many: "<p><a href='/'>Bread</a></p>".repeat(200),
  crowded: "<button type=button>Press</button>".repeat(20_000),
  clobbered: `<form aria-label="Order"><input name="focus" aria-label="a"><input name="blur" aria-label="b">
    <input name="checkVisibility" aria-label="c"><input name="getBoundingClientRect" aria-label="d"><button>Send</button></form>
    <img name="activeElement" alt="" src="data:,">`,
  twin: `<p>The second page of its template.</p>${actingPages["sv-keyboard-trap"].fails[0]}`,
  sounds: `<audio id="late" loop src="${actingPages["sv-audio-control"].fails[0].match(/data:[^"]+/)?.[0]}"></audio>
    <script>setTimeout(() => late.play(), 6500)</script>`,
  full: `${actingPages["sv-keyboard-trap"].fails[0]}<ul>${"<li><a href='/bread'>Bread</a></li>".repeat(5_000)}</ul>`,
  endless: `${actingPages["sv-heading-name"].fails[0]}<p><a href="/prices" onfocus="for (;;);">Prices</a></p>`,
  deaf: `<audio id="song" autoplay src="${actingPages["sv-audio-control"].fails[0].match(/data:[^"]+/)?.[0]}"></audio><button type="button">Stop</button>`,
  slow: `<audio id="song" autoplay src="${actingPages["sv-audio-control"].fails[0].match(/data:[^"]+/)?.[0]}"></audio>
    <button type="button">Sound</button><button type="button" onclick="setTimeout(() => { song.muted = true; }, 300)">Mute</button>`,
  slider: `<audio id="song" autoplay src="${actingPages["sv-audio-control"].fails[0].match(/data:[^"]+/)?.[0]}"></audio>
    <input type="range" aria-label="Volume">`,
  still: `${actingPages["sv-moving-content"].fails[0]}<button type="button">Pause</button>`,
  ticking: `<p>Visitors: <b id="n">1</b></p><script>setInterval(() => { n.textContent = +n.textContent + 1; }, 1000)</script>`,
  halted: `<p>Visitors: <b id="n">1</b></p><button type="button" onclick="clearInterval(ticks)">Stop</button>
    <script>const ticks = setInterval(() => { n.textContent = +n.textContent + 1; }, 1000)</script>`,
  once: `<p id="n">Soon</p><script>setTimeout(() => { n.textContent = "Now"; }, 3000)</script>`,
  white: `<style>body { background: white } a:focus { outline: 2px solid white }</style><p><a href="/prices">Prices</a></p>`,
  away: `<style>@keyframes go { from { translate: 0 } to { translate: 400px } } .n { animation: go 900s infinite alternate steps(3, start) }</style>
    <div class="n">Bread</div><div class="n" style="width: 20em; overflow: hidden; white-space: nowrap">Bread of the day, by bicycle</div>
    <marquee>Bread of the day, by bicycle, every morning</marquee>`,
  pulsing: `<style>@keyframes go { to { opacity: 0.5 } } p { animation: go 9s infinite alternate; width: 500px }</style><p>Bread</p>`,
  campaign: `<ul><li><a href="/bread?utm_source=top">Bread</a></li><li><a href="/%62read#rye">Bread</a></li></ul>
    <ul><li><a href="/cake?id=1">Cake</a></li><li><a href="/cake?id=2">Cake</a></li></ul>`,
  named: `<p>Leave the note with Ctrl+M.</p>${actingPages["sv-keyboard-trap"].fails[0]}`,
  replaced: `<p><a href="/prices" onfocus="location.href = '/elsewhere'">Prices</a></p>`,
};

/** Pages that send what changes something, in each way, when they are used. The last one does so in a frame. */
const sends = {
  way: `<iframe name="inner" title="Inner" srcdoc=""></iframe><script>
    const where = location.origin === "null" ? parent.location.origin : location.origin;
    const post = (path) => "fetch('" + where + path + "', { method: 'POST', mode: 'no-cors' })";
    const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = () => " + post("/change")])));
    const socket = new WebSocket(where.replace("http", "ws") + "/socket");
    const shared = new SharedWorker("/shared.js");
    shared.port.start();
    const send = () => {
      for (const method of ["POST", "PUT", "DELETE"]) fetch("/change", { method, keepalive: true }).catch(() => {});
      navigator.sendBeacon("/change", "x");
      socket.send("x");
      worker.postMessage("x");
      shared.port.postMessage("x");
      new SharedWorker("/shared.js").port.postMessage("x");
      for (const target of ["inner", "_blank", "_self"]) for (const method of ["get", "post"]) {
        const form = Object.assign(document.createElement("form"), { method, target, action: "/change" });
        document.body.append(form);
        form.submit();
      }
      open("/change");
      fetch("/read").catch(() => {});
      fetch("/logout").catch(() => {});
    };</script>`,
  focused: `<p><a href="#here" onfocus="send()">Here</a></p>`,
  typed: `<label>Name <input oninput="send()"></label>`,
  keyed: `<script>addEventListener("keydown", ({ key }) => { if (key === "n") send(); })</script>`,
  pressed: `<audio id="song" autoplay loop src="${tone(4)}"></audio><button type="button" onclick="send()">Pause</button>
    <form id="order" method="post" action="/change" target="inner"></form><button form="order">Stop</button>`,
  framed: "",
};

describe("Acting", () => {
  let site: Site;
  const runners = new Map<string, EngineRunner>();

  before(async () => {
    const made = Object.entries(actingPages).flatMap(([rule, { fails, passes, other }]) =>
      [...fails, passes, other].map((body, index) => [`/${rule}/${index}`, body] as const),
    );
    const more = Object.entries(special).map(([name, body]) => [`/${name}`, body] as const);
    site = await serveSite(Object.fromEntries([...made, ...more].map(([at, body]) => [at, actingPage(body)])));
  });
  after(async () => {
    for (const runner of runners.values()) await runner.close();
    await site?.close();
  });

  const check = async (path: string, given: Partial<ReportSpec> = acting, likeOthers = false) => {
    const spec = reportSpec({ performA11yChecks: true, ...given });
    const policy = addressPolicy(["127.0.0.0/8", "::1/128"]);
    const kind = JSON.stringify(given);
    const runner = runners.get(kind) ?? (await createAxeRunner({ chromePath: undefined, policy, spec, log }));
    runners.set(kind, runner);
    const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
    const outcome = await runner.check(
      { url: new URL(path, site.url).href, document: undefined, spec, likeOthers },
      options,
    );
    if ("failure" in outcome) throw new Error(JSON.stringify(outcome));
    const ours = (outcome.issues as A11yIssue[]).filter(({ rule }) => rule?.startsWith("sv-"));
    return { engine: outcome.engine, notices: outcome.notices ?? [], issues: ours };
  };
  const told = (issues: readonly A11yIssue[]) => issues.map(({ rule, issue_type }) => `${rule} ${issue_type}`);
  const errors = [
    "sv-focus-context",
    "sv-keyboard-trap",
    "sv-focus-visible",
    "sv-zoom-clips-text",
    "sv-audio-control",
    "sv-page-language",
    "sv-skip-link",
    "sv-focus-removed",
    "sv-button-keys",
    "sv-dialog-focus",
    "sv-page-title",
    "sv-placeholder-contrast",
    "sv-hover-contrast",
    "sv-widget-keys",
  ];

  for (const rule of Object.keys(actingPages))
    it(`tells with ${rule} which pages fail, and no other`, async () => {
      const verdicts: string[][] = [];
      for (const index of [0, 1, 2, 3]) verdicts.push(told((await check(`${rule}/${index}`)).issues));
      const fails = `${rule} ${errors.includes(rule) ? "error" : "warning"}`;
      expect(verdicts).to.deep.equal([[fails], [fails], [], []]);
    });

  it("does nothing in a static report, and keeps no reviews unless they are asked for", async () => {
    const still = await check("sv-keyboard-trap/0", { storeIncompleteChecks: true });
    expect([still.issues, still.engine.version.includes("acting")]).to.deep.equal([[], false]);
    expect((await check("sv-reflow/0", { a11yDepth: "acting" })).issues).to.deep.equal([]);
  });

  it("loses no page of 20,000 controls, and says what it did not look at", async function () {
    this.timeout(limitOf(120));
    const everywhere = { ...acting, a11yDepth: "acting_everywhere", pageTimeoutSeconds: 60 } as const;
    const { notices } = await check("/crowded", everywhere);
    expect(notices.map(({ detail }) => detail).join()).to.match(/the sizes of its 20,\d{3} controls were not compared/);
  });

  it("leaves out pages that are like others, unless every page is asked for", async () => {
    const everywhere = { ...acting, a11yDepth: "acting_everywhere" } as const;
    const found = [acting, everywhere].map((given) => check("sv-keyboard-trap/0", given, true));
    expect((await Promise.all(found)).map(({ issues }) => told(issues))).to.deep.equal([
      [],
      ["sv-keyboard-trap error"],
    ]);
  });

  it("gives its findings what axe-core's have", async () => {
    const { issues, engine } = await check("sv-keyboard-trap/0");
    expect(engine).to.deep.include({ name: "axe-core" });
    expect(engine.version).to.match(/^\d+\.\d+\.\d+\+acting\.6$/);
    const [{ html, ...issue }] = issues as [A11yIssue];
    expect(issue).to.deep.equal({
      issue_type: "error",
      rule: "sv-keyboard-trap",
      message: "The keyboard focus must be able to leave every part of the page",
      help_url: "https://www.w3.org/WAI/WCAG22/Understanding/no-keyboard-trap.html",
      impact: "critical",
      tags: ["cat.keyboard", "wcag2a", "wcag212", "ACT-80af7b", "ACT-ebe86a", "ACT-a1b64e"],
    });
    const [element] = html;
    expect(element).to.deep.include({
      extract: '<textarea id="note"></textarea>',
      target: "html > body > main:nth-of-type(1) > label:nth-of-type(1) > textarea:nth-of-type(1)",
      failure_summary: "The focus does not leave this element with Tab, Shift+Tab, Escape or the arrow keys.",
    });
    expect(element?.element?.selector).to.equal("html > body > main > label > textarea#note");
    expect([element?.box?.width, element?.box?.height].every((size) => (size ?? 0) > 20)).to.equal(true);
  });

  it("finds the same component on each page of a template", async () => {
    const pages = [await check("sv-keyboard-trap/0"), await check("twin")];
    const components = pages.map(({ issues }) => {
      const [element] = issues[0]?.html ?? [];
      return element?.element ? componentKey({ kind: "a11y", rule: "sv-keyboard-trap", element: element.element }) : "";
    });
    expect(components[0]).to.have.length.above(10).and.to.equal(components[1]);
  });

  it("follows the focus into frames and shadow trees", async () => {
    const inFrame = await check("frame");
    expect(told(inFrame.issues)).to.deep.equal(["sv-keyboard-trap error"]);
    expect(inFrame.issues[0]?.html[0]?.target).to.match(/iframe:nth-of-type\(1\) >>> html > body > .*textarea/);
    const inShadow = await check("shadow");
    expect(told(inShadow.issues)).to.deep.equal(["sv-keyboard-trap error"]);
    expect(inShadow.issues[0]?.html[0]?.target).to.include("div:nth-of-type(1) >>> label");
  });

  it("leaves it to a person whether a dialog may keep the focus, and what a key does that the page names", async () => {
    const { issues } = await check("dialog");
    expect(told(issues)).to.include("sv-keyboard-trap warning");
    expect(told(issues)).not.to.include("sv-keyboard-trap error");
    expect(told((await check("named")).issues), "a key is named").to.deep.equal(["sv-keyboard-trap warning"]);
  });

  it("knows that a date has several stops, and reads members that form controls hide", async () => {
    for (const path of ["date", "clobbered"]) {
      const { issues, notices } = await check(path);
      expect([told(issues), notices], path).to.deep.equal([[], []]);
    }
  });

  it("hears what a page begins to play later, without waiting for it, and goes on with the next page", async () => {
    const { issues, notices } = await check("sounds");
    expect([told(issues), notices]).to.deep.equal([["sv-audio-control warning"], []]);
    expect(told((await check("sv-audio-control/0")).issues)).to.deep.equal(["sv-audio-control error"]);
  });

  it("presses the controls that say that they stop something, and believes only what they do", async () => {
    const all = await Promise.all(["deaf", "slow", "slider", "still"].map((path) => check(path)));
    expect(all.map(({ issues }) => told(issues))).to.deep.equal([
      ...[["sv-audio-control error"], [], ["sv-audio-control warning"], ["sv-moving-content warning"]],
    ]);
    const said = [all[0], all[3]].map((one) => one?.issues[0]?.html[0]?.failure_summary);
    for (const one of said) expect(one).to.include("the controls that say so do not stop it");
  });

  it("sees texts that change again and again, and whether a control stops them", async () => {
    const all = await Promise.all(["ticking", "halted", "once"].map((path) => check(path)));
    expect(all.map(({ issues }) => told(issues))).to.deep.equal([["sv-moving-content warning"], [], []]);
    expect(all[0]?.issues[0]?.html[0]?.failure_summary).to.include("The text of this element changes by itself");
  });

  it("measures nothing that an animation has moved to where it is", async () => {
    const rules = ["sv-reflow", "sv-zoom-clips-text", "sv-spacing-clips-text"];
    const found = async (path: string) =>
      (await check(path)).issues.flatMap(({ rule }) => (rule && rules.includes(rule) ? [rule] : []));
    expect(await found("away")).to.deep.equal([]);
    expect(await found("pulsing")).to.deep.equal(["sv-reflow"]);
  });

  it("knows spellings of an address that lead to one document", async () => {
    const { issues } = await check("campaign");
    expect(issues.map(({ rule, html }) => [rule, html.map(({ extract }) => extract)])).to.deep.equal([
      ["sv-link-purpose", ['<a href="/cake?id=2">Cake</a>']],
    ]);
  });

  it("sees that an outline has the colour of what it is on", async () => {
    expect(told((await check("white")).issues)).to.deep.equal(["sv-focus-visible error"]);
  });

  it("loses a trap neither to thousands of links, which it says are too many, nor what it has found to an end of its time", async () => {
    const full = await check("full");
    expect(told(full.issues)).to.deep.equal(["sv-keyboard-trap error"]);
    expect(full.notices.map(({ code }) => code)).to.deep.equal(["acted_in_part"]);
    expect(full.notices[0]?.detail).to.include("more than 1000 links").and.to.include("more than 2000 links");
    const endless = await check("endless");
    expect(told(endless.issues)).to.deep.equal(["sv-heading-name warning"]);
    expect(endless.notices.map(({ code }) => code)).to.deep.equal(["not_acted"]);
  });

  it("lets a page that it uses read, and send nothing that changes something", async () => {
    const { way, framed: _, ...uses } = sends;
    const pages = Object.fromEntries(Object.entries(uses).map(([name, use]) => [`/${name}`, actingPage(way + use)]));
    const framed = actingPage('<iframe title="Order" src="/focused"></iframe>');
    const shared = `onconnect = ({ ports: [port] }) => { port.onmessage = () => fetch("/change", { method: "POST" }); }`;
    const other = await serveSite({
      ...{ ...pages, "/framed": framed, "/read": "read", "/shared.js": { headers: scripts, body: shared } },
    });
    const sent: number[] = [];
    other.server.on("upgrade", ({ headers }, socket) => {
      const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
      socket.write(`Sec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`);
      // Its last message says that the page has gone.
      socket.on("error", () => {}).on("data", ([first = 0]: Buffer) => first !== 0x88 && sent.push(first));
    });
    try {
      const found: string[] = [];
      for (const name of [...Object.keys(uses), "framed"])
        found.push(...told((await check(new URL(name, other.url).href)).issues).map((one) => `${name} ${one}`));
      // What was done can be seen, so that it was no lack of it.
      const seen = ["focused sv-focus-context", "typed sv-input-context", "keyed sv-character-keys"];
      for (const one of [...seen, "pressed sv-audio-control", "framed sv-focus-context"])
        expect(found.join(), one).to.include(one);
      const paths = other.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
      expect(paths).to.include("GET /read");
      expect([paths.filter((one) => !/^GET .(?!change|logout)/.test(one)), sent]).to.deep.equal([[], []]);
    } finally {
      await other.close();
    }
  });

  it("presses what says that it is a button or opens a dialog, and nothing that any of its names calls a change", async () => {
    const tells = (path: string) =>
      `tabindex="0" onclick="0" onkeydown="if (/^( |Enter)$/.test(event.key)) fetch('${path}')"`;
    const body = `<div role="button" ${tells("/opened")}>Opening hours</div>
      <div role="button" aria-label="Row 7" ${tells("/pressed")}>Delete</div>
      <div role="button" title="Delete" ${tells("/pressed")}>x</div>
      <div role="button" ${tells("/pressed")}><img alt="Delete" src="data:,"></div>
      <span id="name">Delete</span><div role="button" aria-haspopup="dialog" aria-labelledby="name" ${tells("/pressed")}>More</div>
      <button type="button" onclick="fetch('/hours'); fetch('/rows/7/delete'); fetch('/rows?action=remove&id=7')">Our hours</button>
      <button type="button" onclick="fetch('/pressed')">Delete row 7</button>
      <form action="/order"><button type="button" onclick="fetch('/pressed')">Next row</button></form>
      <form id="order" action="/order"></form><button form="order" aria-haspopup="dialog" ${tells("/pressed")}>Options</button>`;
    const pages = { "/opened": "", "/pressed": "", "/order": "", "/hours": "", "/rows/7/delete": "", "/rows": "" };
    const other = await serveSite({ "/": actingPage(body), ...pages });
    try {
      await check(new URL("/", other.url).href);
      const asked = other.requests.map(({ path }) => path.split("?")[0]);
      expect(asked).to.include.members(["/opened", "/hours"]);
      // What a button asks for by a script has no verb of change, either.
      for (const path of ["/pressed", "/order", "/rows/7/delete", "/rows"]) expect(asked).not.to.include(path);
    } finally {
      await other.close();
    }
  });

  it("lets the next page in its tab send what it likes until that is used", async () => {
    const posting = `<p>Bread</p><script>
      fetch("/change?" + /native code/.test(WebSocket.prototype.send), { method: "POST" })</script>`;
    const other = await serveSite({ "/plain": actingPage("<p>Bread</p>"), "/posting": actingPage(posting) });
    try {
      for (const name of ["plain", "posting"]) await check(new URL(name, other.url).href);
      expect(other.requests.map(({ method, path }) => `${method} ${path}`)).to.include("POST /change?true");
    } finally {
      await other.close();
    }
  });

  it("says what it cut short, and stays on the page", async () => {
    const { issues, notices } = await check("many");
    expect([told(issues), notices]).to.deep.equal([
      [],
      [
        {
          code: "acted_in_part",
          howMany: 1,
          detail:
            "Acting, with a walk over 150 places that take the focus, did not see everything: no further places are visited.",
        },
      ],
    ]);
    expect((await check("replaced")).notices).to.deep.equal([]);
  });
});
