// Waits for answers that a server delays on purpose, in a browser of its own: some 20 s, hardly any of it processor time.
import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import type { Tab } from "../../../src/browser/tab.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { readSteps, type Step } from "../../../src/schema/steps.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { bodyOf, html } from "../../support/members-sites.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const page = (body: string, title = "Page") =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`;
const click = (selector: string, more: object = {}) => ({ type: "click", selector, ...more });
const go = click("button.go");
/** A button that says in a text that it was pressed. */
const says = (text: string, attributes = 'class="go"', content = "Go") =>
  `<button type="button" ${attributes} onclick="document.querySelector('#out').textContent += ' ${text}'">${content}</button>`;
const out = '<p id="out">Out:</p>';

describe("Steps on a page", function () {
  this.timeout(limitOf(40));
  let browser: Browser;
  let site: Site | undefined;

  before(async () => {
    browser = await openBrowser({
      chromePath: undefined,
      policy: addressPolicy(["127.0.0.1/32"]),
      log: createLogger("error", {}),
      device: defaultDevice,
    });
  });
  afterEach(async () => {
    await site?.close();
    site = undefined;
  });
  after(() => browser.close());

  const stepsOf = (given: readonly object[]): Step[] => {
    const read = readSteps(given);
    if ("faults" in read) throw new Error(read.faults.join());
    return read.steps;
  };
  const visit = <Result>(path: string, work: (tab: Tab) => Promise<Result>): Promise<Result> =>
    browser.withTab({ signal: new AbortController().signal, timeLimitMs: 100_000 }, async (tab) => {
      await tab.load(`${site?.origin}${path}`, { beforeRequest: async () => {}, checkResponse: () => {} });
      return work(tab);
    });
  const textOf = async (tab: Tab) =>
    tab.call(await tab.createWorld(tab.mainFrameId), () => document.body.innerText.trim());
  /** Does steps on a page. @returns what it shows then, and the steps that were passed by */
  const performed = async (routes: Routes | string, steps: readonly object[]) => {
    await site?.close();
    site = await serveSite(typeof routes === "string" ? { "/": page(routes) } : routes);
    return visit("/", async (tab) => {
      const { passedBy: passed, ...did } = await tab.perform(stepsOf(steps));
      return { text: await textOf(tab), passed, ...did };
    });
  };
  const shownAfter = async (routes: Routes | string, steps: readonly object[]) => (await performed(routes, steps)).text;
  const failureOf = async (routes: Routes | string, steps: readonly object[]): Promise<string> => {
    const error = await performed(routes, steps).catch((reason: unknown) => reason);
    if (!(error instanceof Error)) throw new Error(`it did not fail: ${JSON.stringify(error)}`);
    return error.message.replaceAll(site?.origin ?? "", "ORIGIN");
  };
  const slow = (answer: (response: Parameters<typeof html>[0]) => void, ms = 700) => ({
    handler: (_: unknown, response: Parameters<typeof html>[0]) => void setTimeout(() => answer(response), ms),
  });

  describe("wait for the page that a step leads to, whose button is like the one before,", () => {
    const form = (action: string) => `<form method="post" action="${action}"><button class="go">Go</button></form>`;
    const end = page("<p>The end</p>");
    const second = page(
      `<h1>Second</h1><a class="go button" href="/end"><button class="go">Go</button></a>${form("/end")}`,
    );
    const lateSecond = slow((response) => html(response, second)).handler;

    const kinds: Record<string, Routes> = {
      "by a form": { "/": page(form("/second")), "/second": lateSecond },
      "by a form that is sent to its own address": {
        "/": async (request, response) => {
          if (request.method !== "POST") return html(response, page(form("/")));
          await bodyOf(request);
          lateSecond(request, response);
        },
      },
      "by two redirects of the server, and one of a script": {
        "/": page(form("/a")),
        "/a": slow((response) => response.writeHead(302, { location: "/b" }).end(), 300).handler,
        "/b": slow((response) => response.writeHead(303, { location: "/c" }).end(), 300).handler,
        "/c": page(`<button class="go">Go</button><script>setTimeout(() => location.replace("/second"), 200)</script>`),
        "/second": lateSecond,
      },
      "by a script that asks first": {
        "/": page(
          `<button class="go" onclick="fetch('/check').then((a) => a.json()).then(({ to }) => location.assign(to))">Go</button>`,
        ),
        "/check": slow((response) => response.end('{"to":"/second"}')).handler,
        "/second": lateSecond,
      },
      "by a refresh": {
        "/": page(form("/wait")),
        "/wait": page(`<meta http-equiv="refresh" content="1; url=/second"><button class="go">Go</button>`),
        "/second": lateSecond,
      },
      "by a timer of a script": {
        "/": page(`<button class="go" onclick="setTimeout(() => { location.href = '/second' }, 900)">Go</button>`),
        "/second": lateSecond,
      },
    };
    for (const [how, routes] of Object.entries(kinds))
      it(how, async () => {
        expect(await shownAfter({ ...routes, "/end": end }, [go, go])).to.equal("The end");
      });

    it("by a script that changes the address and loads a view", async () => {
      const app = `<main></main><script>
        const main = document.querySelector("main");
        const show = (name) => { main.innerHTML = "<p>" + name + "</p><button class=go>Go</button>"; main.querySelector("button").onclick = next; };
        const next = async () => { const name = await (await fetch("/view?" + Math.random())).text(); history.pushState({}, "", "/" + name); show(name); };
        show("first");</script>`;
      let views = 0;
      const view = slow((response) => {
        views += 1;
        response.end(`view ${views}`);
      }).handler;
      const asserted = { ...go, assertedEvents: [{ type: "navigation" }] };
      expect(await shownAfter({ "/": page(app), "/view": view }, [asserted, go])).to.match(/^view 2/);
    });

    it("in a frame", async () => {
      const routes = {
        "/": page('<iframe title="In" src="/in"></iframe>'),
        "/in": page(form("/second")),
        "/second": lateSecond,
      };
      site = await serveSite({
        ...routes,
        "/end": page("<p>The end</p><script>top.document.title = 'Ended'</script>"),
      });
      const title = await visit("/", async (tab) => {
        await tab.perform(
          stepsOf([
            { ...go, frame: [0] },
            { ...go, frame: [0] },
          ]),
        );
        return tab.call(await tab.createWorld(tab.mainFrameId), () => document.title);
      });
      expect(title).to.equal("Ended");
    });

    it("up to the step's limit, which is named", async () => {
      const text = await failureOf({ "/": page(form("/never")), "/never": () => {} }, [
        click("button", { timeout: 500 }),
        go,
      ]);
      expect(text).to.equal(
        "Step 1 (click button) failed: the page that it leads to (ORIGIN/never) had not come after 0.5 s",
      );
    });
  });

  it("go on while a page asks for something again and again, or for something that never ends", async () => {
    const text = await shownAfter(
      {
        "/": page(`${out}${says("first", 'class="go" onmousedown="poll()"')}<script>
          const poll = () => { setInterval(() => fetch("/now"), 30); fetch("/never"); };</script>${says("second", 'id="b"')}`),
        "/now": "now",
        "/never": () => {},
      },
      [click(".go", { timeout: 900 }), click("#b")],
    );
    expect(text).to.match(/Out: first second/);
  });

  it("do not wait for what leads to no page", async () => {
    const nowhere = {
      download: 'href="/file"',
      nothing: 'href="/nothing"',
      script: 'href="javascript:void(0)"',
      mail: 'href="mailto:ada@example.org"',
      fragment: 'href="#out"',
      window: 'href="/other" target="_blank"',
      refused: 'href="/" onclick="return false"',
    };
    const links = Object.entries(nowhere).map(
      ([name, attributes]) => `<p><a id="${name}" ${attributes}>${name}</a></p>`,
    );
    const routes = {
      "/": page(`${links.join("")}${says("right")}${out}`),
      "/file": { headers: { "content-disposition": "attachment" }, body: "x" },
      "/nothing": { status: 204 },
      "/other": page("Other"),
    };
    const limit = { timeout: 4_000 };
    const { text } = await performed(routes, [...Object.keys(nowhere).map((id) => click(`#${id}`, limit)), go]);
    expect(text).to.match(/Out: right$/);
  });

  describe("use the first element that can be used:", () => {
    const twins: Record<string, string> = {
      "not a hidden twin": `<div style="display: none">${says("wrong")}</div>`,
      "not one in closed details": `<details><summary>More</summary>${says("wrong")}</details>`,
      "not one that is inert": `<div inert>${says("wrong")}</div>`,
      "not one outside of the window": `<div style="position: absolute; left: -5000px">${says("wrong")}</div>`,
      "not one that is disabled": `<fieldset disabled>${says("wrong")}</fieldset>`,
      "not one without a size": `<div style="width: 0; height: 0; overflow: hidden">${says("wrong")}</div>`,
      "not one that nobody sees": `<div style="position: absolute; opacity: 0">${says("wrong")}</div>`,
      "not one under something else": `<div style="position: relative">${says("wrong")}<i style="position: absolute; inset: 0; background: red"></i></div>`,
    };
    for (const [what, twin] of Object.entries(twins))
      it(what, async () => {
        expect(await shownAfter(`${twin}<p style="height: 2000px">Far</p>${says("right")}${out}`, [go])).to.match(
          /Out: right$/,
        );
      });

    it("also in shadow roots", async () => {
      const card = (hidden: string, text: string) =>
        `<x-card ${hidden}><template shadowrootmode="open">${says(text)}</template></x-card>`;
      const body = `${out}${card("hidden", "wrong")}${card("", "right")}`;
      expect(await shownAfter(body, [click("pierce/button.go")])).to.match(/Out: right/);
    });

    it("a button rather than a heading with the same text, and rather than one whose text is longer", async () => {
      const body = `<h1>Sign in</h1>${says("wrong", "", "Sign in with another account")}${says("right", "", "<span>Sign in</span>")}${out}`;
      for (const selector of ["text/Sign in", "aria/Sign in"])
        expect(await shownAfter(body, [click(selector)])).to.match(/Out: right$/);
    });

    it("a button rather than the page, whose title is the same", async () => {
      const body = `<script>document.title = "Sign in";</script>${says("right", "", "Sign in")}${out}`;
      expect(await shownAfter(body, [click("aria/Sign in")])).to.match(/Out: right$/);
    });

    it("the one of the form that was just filled in", async () => {
      const form = `<form onsubmit="return false"><input id="name">${says("right")}</form>`;
      const twice = `<header><a class="go" href="/wrong">Go</a><form>${says("wrong")}</form></header>${form}${out}`;
      const fill = { type: "change", selector: "#name", value: "Ada" };
      for (const selector of [".go", "text/Go", "aria/Go"])
        expect(await shownAfter(twice, [fill, click(selector)]), selector).to.match(/Out: right$/);
      expect(await shownAfter(`${says("right")}${form}${out}`, [go])).to.match(/Out: right$/);
    });

    it("as soon as it is enabled, uncovered and at rest", async () => {
      const body = `${out}${says("first", 'id="a" disabled')}
        <div style="position: relative">${says("second", 'id="b"')}<i id="over" style="position: absolute; inset: 0; background: red; transition: opacity .3s"></i></div>
        ${says("third", 'id="c" style="animation: in .6s"')}<style>@keyframes in { from { margin-left: 400px } }</style>
        <script>setTimeout(() => { a.disabled = false }, 300);
          a.addEventListener("click", () => { over.style.opacity = 0; over.addEventListener("transitionend", () => over.remove()); });</script>`;
      expect(await shownAfter(body, [click("#a"), click("#b"), click("#c")])).to.match(/Out: first second third/);
    });

    it("one that only says that it is disabled, in the end", async () => {
      const body = `${says("pressed", 'class="go" aria-disabled="true"')}${out}`;
      expect(await shownAfter(body, [{ ...go, timeout: 300 }])).to.match(/Out: pressed$/);
    });

    it("by its label, and where the recording says", async () => {
      const body = `<label>Terms <input type="checkbox" id="terms" style="opacity: 0; position: absolute" onchange="out.textContent += ' terms'"></label>
        <label for="name">Name</label><input id="name" oninput="out.dataset.name = this.value">
        <div id="map" style="width: 200px; height: 200px; cursor: pointer" onclick="out.textContent += ' ' + event.offsetX + ' ' + out.dataset.name"></div>${out}`;
      const steps = [
        click("#terms"),
        { type: "change", selector: "text/Name", value: "Ada" },
        { ...click("#map"), offsetX: 30, offsetY: 20 },
      ];
      expect(await shownAfter(body, steps)).to.match(/Out: terms 30 Ada$/);
    });
  });

  describe("use it where it is, when looking at others has moved the page:", () => {
    const far = '<p style="height: 3000px">Far</p>';
    const kinds: Record<string, { body: string; steps?: object[]; routes?: Routes }> = {
      "of many that are far from each other, the first": {
        body: `${says("right")}${far}${says("second")}${far}${says("third")}${out}`,
      },
      "in a box that scrolls": {
        body: `<div style="height: 90px; overflow: auto">${says("right")}${far}${says("second")}</div>${out}`,
      },
      "on the second line of a link whose first line is out of the window": {
        body: `<p style="width: 12em; line-height: 60px; margin-top: 200px"><span style="display: inline-block; width: 6em"></span><a href="#out" class="go"
          onclick="out.textContent += ' right'">broken into lines</a></p>${far}${out}`,
        steps: [{ type: "scroll", x: 0, y: 260 }, click("a.go")],
      },
      "that has no box of its own": {
        body: `<button class="go" style="display: contents" onclick="out.textContent += ' right'"><b>Go</b></button>${out}`,
      },
      "that is a link around what floats": {
        body: `<a class="go" href="#out" onclick="out.textContent += ' right'"><b style="float: left; width: 40px; height: 40px; background: red"></b></a>${out}`,
        steps: [click("a.go")],
      },
      "in a document without a doctype, whose root has no height": {
        body: "",
        routes: {
          "/": `<html><title>Old</title><body style="position: absolute; margin: 0; height: 2000px"><div style="margin-top: 900px">${says("right")}</div>${out}`,
        },
      },
      "in a frame far below": {
        body: `${far}<iframe title="In" src="/in"></iframe>${far}${out}`,
        routes: { "/in": page(`${far}<button class="go" onclick="parent.out.textContent += ' right'">Go</button>`) },
        steps: [{ ...go, frame: [0] }],
      },
      "deep in a frame that is longer than the window, and drawn smaller": {
        body: `<iframe title="In" src="/in" style="width: 600px; height: 6000px; border: 9px solid; padding: 7px; transform: scale(.5); transform-origin: 0 0"></iframe>${out}`,
        routes: {
          "/in": page(
            `<p style="height: 4900px">Far</p><button class="go" style="margin-left: 400px; width: 20px; height: 20px" onclick="parent.out.textContent += ' right'"></button>`,
          ),
        },
        steps: [{ ...go, frame: [0] }],
      },
      "in a frame as soon as nothing covers it": {
        body: `<iframe title="In" src="/in"></iframe>${out}<div id="over" style="position: fixed; inset: 0; background: red"></div><script>setTimeout(() => over.remove(), 700)</script>`,
        routes: { "/in": page(`<button class="go" onclick="parent.out.textContent += ' right'">Go</button>`) },
        steps: [{ ...go, frame: [0] }],
      },
    };
    for (const [what, { body, routes, steps = [go] }] of Object.entries(kinds))
      it(what, async () => {
        expect(await shownAfter({ "/": page(body), ...routes }, steps)).to.match(/Out: right$/);
      });

    it("headings that are pointed at", async () => {
      const heading = (text: string) => `<h1 onmouseenter="out.textContent += ' ${text}'">${text}</h1>`;
      const body = `${heading("first")}${far}${heading("second")}${far}${out}`;
      expect(await shownAfter(body, [{ type: "hover", selector: "h1" }])).to.match(/Out: first$/);
    });

    it("a field, which is filled in", async () => {
      const field = (name: string) => `<input oninput="out.textContent = '${name} ' + this.value">`;
      const body = `${field("first")}${far}${field("second")}${out}`;
      expect(await shownAfter(body, [{ type: "change", selector: "input", value: "Ada" }])).to.match(/first Ada$/);
    });

    it("or say which frame is covered", async () => {
      const routes = { "/in": page(`<button class="go">Go</button>`) };
      const body = `<iframe title="In" src="/in"></iframe><div style="position: fixed; inset: 0; background: red"></div>`;
      expect(await failureOf({ "/": page(body), ...routes }, [{ ...go, frame: [0], timeout: 300 }])).to.match(
        /failed: <button class="go"> "Go" is in a frame that is covered by <div>/,
      );
    });
  });

  describe("that may be left out", () => {
    const body = `${says("right")}${out}`;
    const banner = { ...click("#no"), optional: true, timeout: 200 };

    it("are passed by, with the reason, and done where they can be", async () => {
      const { text, passed } = await performed(body, [banner, go]);
      expect(text).to.match(/Out: right$/);
      expect(passed.map((one) => one.replace(site?.origin ?? "", "ORIGIN"))).to.deep.equal([
        "Step 1 (click #no, if it is there) was passed by: no such element was visible in ORIGIN/ within 0.2 s",
      ]);
      const done = await performed(`${says("no", 'id="no"')}${body}`, [banner, go]);
      expect([done.text, done.passed]).to.deep.equal(["GoGo\n\nOut: no right", []]);
    });

    it("still fail for what is no selector", async () => {
      expect(await failureOf(body, [{ ...banner, selector: "#[" }])).to.match(/"#\[" is not a selector$/);
    });
  });

  describe("that fail say", () => {
    const next = { ...click("#next"), timeout: 200 };

    it("why each of those that match cannot be used", async () => {
      const body = `<button class="go" hidden>Menu</button><div style="position: relative"><button class="go">Menu</button><i id="over" style="position: absolute; inset: 0">x</i></div>`;
      expect(await failureOf(body, [{ ...go, timeout: 300 }])).to.equal(
        'Step 1 (click button.go) failed: no such element could be used in ORIGIN/ within 0.3 s: <button class="go"> "Menu" is not visible, <button class="go"> "Menu" is covered by <i id="over"> "x"',
      );
    });

    it("that what was clicked is no control and changed nothing, and what matches as well", async () => {
      const body = `<h1>Sign in</h1><button hidden>Sign in</button>`;
      expect(await failureOf(body, [click("text/Sign in"), next])).to.match(
        /^Step 2 .* within 0\.2 s\. What step 1 clicked, <h1> "Sign in", is no control and changed nothing(?:\. What matches as well: <button> .* is not visible)?$/,
      );
      const dead = "<button class=go>Go</button>";
      expect(await failureOf(dead, [go, next])).to.match(
        /What step 1 clicked, <button class="go"> "Go", changed nothing$/,
      );
      expect(await failureOf(`${says("x")}${out}`, [go, next])).to.not.include("What step 1");
    });

    it("nothing that was typed", async () => {
      const body = `<input id="user"><p id="echo">Hello</p><script>user.oninput = () => { echo.textContent = user.value; };</script>`;
      const steps = [{ type: "change", selector: "#user", value: "s3cret" }, click("#echo"), next];
      expect(await failureOf(body, steps))
        .to.include('<p id="echo"> "…"')
        .and.not.to.include("s3cret");
    });
  });

  describe("bring what the page is judged with:", () => {
    const late = '<p id="late">Late</p>';
    const open = (script: string) => `<button class="go" onclick="${script}">Go</button><main id="out"></main>`;
    const add = `document.querySelector('#out').innerHTML = '<p>Late</p>'`;
    const kinds: Record<string, Routes> = {
      "what a timer adds": { "/": page(open(`setTimeout(() => { ${add} }, 1400)`)) },
      "what two requests after each other add": {
        "/": page(open(`fetch('/a').then(() => fetch('/b')).then(() => { setTimeout(() => { ${add} }, 150) })`)),
        ...{ "/a": { body: "a", delayMs: 500 }, "/b": { body: "b", delayMs: 500 } },
      },
      "what a worker asks for": {
        "/": page(open(`new Worker('/worker.js').onmessage = () => { ${add} }`)),
        "/worker.js": slow((response) =>
          response
            .writeHead(200, { "content-type": "text/javascript" })
            .end("fetch('/a').then((answer) => answer.text()).then(postMessage)"),
        ).handler,
        "/a": { body: "a", delayMs: 500 },
      },
      "what is asked for until it is there": {
        "/": page(
          open(
            `let n = 0; const id = setInterval(() => fetch('/now').then(() => { if (++n > 3) { clearInterval(id); ${add} } }), 400)`,
          ),
        ),
        "/now": "now",
      },
      "what is asked for each second": {
        "/": page(
          open(
            `let n = 0; const ask = () => fetch('/now').then(() => { if (++n > 2) ${add}; else setTimeout(ask, 1000) }); ask()`,
          ),
        ),
        "/now": "now",
      },
      "what an interval looks for": {
        "/": page(open(`let n = 0; const id = setInterval(() => { if (++n > 5) { clearInterval(id); ${add} } }, 200)`)),
      },
      "what a worker has worked out": {
        "/": page(open(`new Worker('/worker').onmessage = () => { ${add} }`)),
        "/worker": { headers: { "content-type": "text/javascript" }, body: "setTimeout(() => postMessage(1), 400)" },
      },
      "beside what its page asks for by itself, and never gets": {
        "/": page(`<script>fetch('/never'); (function ask() { fetch('/slow').then(ask) })()</script>
          ${open(`setTimeout(() => { ${add} }, 600)`)}`),
        ...{ "/never": () => {}, "/slow": { body: "slow", delayMs: 400 } },
      },
      "a dialog that has moved in": {
        "/": page(`<style>@keyframes in { from { opacity: 0 } } dialog { animation: in .9s }</style>
          <button class="go" onclick="d.showModal(); d.onanimationend = () => { ${add} }">Go</button><dialog id="d"><div id="out"></div></dialog>`),
      },
      "what a script moves frame by frame": {
        "/": page(
          open(`const start = performance.now(); const step = () => { const t = performance.now() - start; this.style.left = t + 'px';
            if (t < 900) requestAnimationFrame(step); else ${add} }; step()`),
        ),
      },
      "beside a spinner and a clock that never end": {
        "/": page(`<style>@keyframes turn { to { rotate: 1turn } } #spin { animation: turn 1s infinite }</style><i id="spin">x</i><p id="clock"></p>
          <script>setInterval(() => { clock.textContent = performance.now() }, 60); const again = () => setTimeout(again, 200); again()</script>
          ${open(`setTimeout(() => { ${add} }, 600)`)}`),
      },
    };
    for (const [what, routes] of Object.entries(kinds))
      it(what, async () => {
        const { text, changing, isSame } = await performed(routes, [go]);
        expect(text).to.match(/Late$/);
        expect([changing, isSame]).to.deep.equal([[], false]);
      });

    it("what is still changing then is named", async () => {
      const endless = open("setInterval(() => { out.append(document.createElement('hr')) }, 50); fetch('/never')");
      const { changing } = await performed({ "/": page(endless), "/never": () => {} }, [{ ...go, timeout: 300 }]);
      expect(changing.map((one) => one.replace(site?.origin ?? "", "ORIGIN"))).to.deep.equal([
        "ORIGIN/never had not answered",
        "<hr> had just been added",
      ]);
    });

    it("nothing, which is said; what is only pointed at may look otherwise", async () => {
      const dead = `<style>.go:hover { color: red } nav { display: none } div:hover nav { display: block }</style>
        <button class="go">Go</button><div id="menu">Menu<nav>Inside</nav></div>${late}`;
      expect(await performed(dead, [go])).to.have.property("isSame", true);
      expect(await performed(dead, [{ type: "hover", selector: ".go" }])).to.have.property("isSame", false);
      expect(await performed(dead, [{ type: "hover", selector: "#menu" }])).to.have.property("isSame", false);
    });
  });

  it("leave nothing to the visit after them: no mouse, no key, no focus", async () => {
    const watching = `<div id="box" style="position: fixed; inset: 0" onmouseenter="out.textContent += ' hovered'"></div>${out}
      <input id="field"><script>addEventListener("keydown", () => { out.textContent += " key" });
      addEventListener("mousemove", () => { out.textContent += " moved" });
      setTimeout(() => { out.textContent += " " + document.activeElement.localName + scrollY; }, 300)</script>`;
    site = await serveSite({
      "/": page(`<p style="height: 3000px">Far</p><input id="field">${says("x")}${out}`),
      "/next": page(watching),
    });
    const steps = [
      click("#field"),
      { type: "keyDown", key: "Shift" },
      { type: "scroll", x: 0, y: 900 },
      { type: "hover", selector: "button.go" },
    ];
    for (let time = 0; time < 3; time += 1) {
      await visit("/", (tab) => tab.perform(stepsOf(steps)));
      expect(await visit("/next", textOf)).to.equal("Out: body0");
    }
  });
});
