import { hidable } from "../../src/checker/engines/axe/clobbering.ts";
import { tone } from "../support/acting-pages.ts";
import type { Routes } from "../support/site.ts";

/**
 * Pages that attack whoever visits them. Add a line: `page` is served at /hostile, `routes` beside it.
 * Whatever it does, the crawler, the checker and the other pages go on, and the page itself is checked or
 * fails for one of the reasons in `ends`.
 */
export type HostilePage = {
  name: string;
  page: Routes[string];
  routes?: Routes;
  /** How the crawl, and the check in a browser, may end: `checked` or a failure's code. */
  ends: string[];
  /** It uses up its whole time, so it gets less: a page that never ends least of all. */
  hangs?: "for long" | "for ever";
  /** The notice that says why not all of it was used; of one that is checked. */
  says?: "not_acted" | "acted_in_part";
};

const html = (body: string): string => `<!DOCTYPE html><html lang="en"><title>Hostile</title><body>${body}`;
const script = (code: string, body = ""): string => html(`<script>${code}</script>${body}`);
/** Every response begins with this, and then the connection breaks. */
const broken = (headers: string): Routes[string] => {
  return (request) => {
    request.socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n${headers}\r\n`);
    request.socket.end();
  };
};

const checked = ["checked"];

/** A sound that somebody hears, and that goes on. */
const sound = `<audio autoplay loop src="${tone(4)}"></audio>`;
/** What a page does that must not leave it when nobody has asked for it. */
const does = `
  const does = () => {
    for (const method of ["POST", "PUT", "DELETE"]) fetch("/change", { method, keepalive: true }).catch(() => {});
    navigator.sendBeacon("/change", "x");
    for (const target of ["inner", "_blank", "_self"]) {
      const form = Object.assign(document.createElement("form"), { method: "post", action: "/change", target });
      document.body.append(form);
      form.submit();
      form.remove();
    }
    open("/change");
    location = "/elsewhere";
  };`;
const doing = (body: string): string => script(does, `<iframe name=inner title=i srcdoc=""></iframe>${body}`);

/** They attack whoever loads them, by responses, addresses or names. */
export const hostileWhenLoaded: readonly HostilePage[] = [
  // ---- responses -------------------------------------------------------------------------------
  {
    name: "a body that is shorter than its Content-Length",
    page: broken(`content-length: 5000\r\n\r\n${html("<p>half")}`),
    ends: ["invalid_response"],
  },
  {
    name: "a chunked body that breaks off",
    page: broken("transfer-encoding: chunked\r\n\r\n5\r\n<html\r\n40\r\n<p>half"),
    ends: ["invalid_response"],
  },
  { name: "no body at all", page: { headers: { "content-length": "0" }, body: "" }, ends: ["empty", ...checked] },
  {
    name: "headers that are named like members of JavaScript objects",
    page: (request) => {
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconstructor: a\r\ntoString: b\r\n__proto__: c\r\n";
      request.socket.end(`${head}connection: close\r\n\r\n${html("<p>text")}`);
    },
    ends: checked,
  },
  { name: "204 No Content", page: { status: 204 }, ends: ["not_html"] },
  {
    name: "a download",
    page: { headers: { "content-disposition": "attachment; filename=a.html" }, body: html("") },
    ends: ["not_html"],
  },
  {
    name: "a redirect to itself",
    page: { status: 302, headers: { location: "/hostile" } },
    ends: ["too_many_redirects"],
  },
  {
    name: "redirects by script without end",
    page: (request, response) => {
      const next = Number(new URL(request.url ?? "", "http://a").searchParams.get("n")) + 1;
      response.writeHead(200, { "content-type": "text/html" }).end(script(`location = "/hostile?n=${next}"`));
    },
    ends: ["too_many_redirects"],
  },
  {
    name: "a meta refresh to itself without end",
    page: html('<meta http-equiv="refresh" content="0">'),
    ends: ["too_many_redirects", "unreadable", "engine_error", ...checked],
  },
  {
    name: "a body that drips without end",
    page: (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      const timer = setInterval(() => response.write("<p>x"), 50);
      response.on("close", () => clearInterval(timer));
    },
    ends: ["timeout"],
    hangs: "for ever",
  },

  // ---- where the page goes ---------------------------------------------------------------------
  { name: "about:blank at the load event", page: html('<body onload="location=`about:blank`">'), ends: ["off_site"] },
  { name: "about:blank at once", page: script('location = "about:blank"'), ends: ["off_site", ...checked] },
  {
    name: "a blob: URL of its own",
    page: script('location = URL.createObjectURL(new Blob(["<p>blob"], { type: "text/html" }))'),
    ends: ["off_site", ...checked],
  },
  { name: "a data: URL", page: script('location = "data:text/html,<p>data"'), ends: ["off_site", ...checked] },
  {
    name: "a javascript: URL that replaces the document",
    page: script("location = \"javascript:'<p>replaced'\""),
    ends: checked,
  },
  { name: "chrome://crash", page: script('location = "chrome://crash"'), ends: checked },
  {
    name: "window.stop() while it loads",
    page: html(`<script>stop()</script>${"<p>more".repeat(10_000)}`),
    ends: ["invalid_response", ...checked],
  },
  {
    name: "a URL of two million characters by history.replaceState",
    page: script('try { history.replaceState(0, "", "?" + "a".repeat(2000000)) } catch {}'),
    ends: checked,
  },
  {
    name: "a history that moves without end",
    page: script(
      "setInterval(() => { try { history.pushState(0, '', '?' + Math.random()); history.back() } catch {} }, 0)",
    ),
    ends: checked,
  },
  {
    name: "fragments that change without end",
    page: script("let n = 0; setInterval(() => { location.hash = n++ }, 0)"),
    ends: checked,
  },
  {
    name: "document.open() in a loop",
    page: script("setInterval(() => { document.open(); document.write('<p>again'); document.close() }, 0)"),
    ends: ["engine_error", "timeout", ...checked],
  },

  // ---- names that hide what our code reads -----------------------------------------------------
  {
    name: "a form whose control is named shadowRoot and contains the form",
    page: html('<fieldset name=shadowRoot form=f><form id=f><a href="/other">o</a></form></fieldset>'),
    ends: checked,
  },
  {
    name: "forms and images named after what documents and elements have",
    page: html(
      [
        ...["querySelector", "querySelectorAll", "createTreeWalker", "baseURI", "characterSet", "scripts", "body"],
        ...["forms", "documentElement", "getElementById", "createElement", "nodeType", "ownerDocument", "defaultView"],
      ]
        .map((name) => `<img name="${name}" alt=""><form name="${name}"></form>`)
        .join("") +
        `<form>${[
          "getAttribute",
          "localName",
          "nodeType",
          "parentNode",
          "children",
          "attributes",
          "shadowRoot",
          "tagName",
        ]
          .map((name) => `<input name="${name}" aria-label="${name}">`)
          .join("")}</form>`,
    ),
    ends: checked,
  },
  {
    name: "forms around controls that are named like each member that axe-core reads",
    page: html(
      hidable
        .flatMap((name) => ["input", "object", "fieldset"].map((control) => `<${control} name="${name}"></${control}>`))
        .map((control) => `<form>${control}<img src="data:,"></form>`)
        .join(""),
    ),
    ends: checked,
  },
  {
    name: "elements with the ids of our globals",
    page: html(
      ["axe", "partials", "URL", "Set", "Document", "Element", "NodeFilter", "JSON", "Reflect", "document", "Promise"]
        .map((id) => `<a id="${id}" href="/other">${id}</a>`)
        .join(""),
    ),
    ends: checked,
  },
  {
    name: "built-ins that are overwritten",
    page: script(`
      const bad = () => { throw new Error("mine") };
      for (const [object, names] of [
        [Document.prototype, ["querySelector", "querySelectorAll", "createTreeWalker", "getElementsByTagName"]],
        [Element.prototype, ["getAttribute", "querySelectorAll", "matches", "attachShadow"]],
        [Array.prototype, ["map", "push", "filter", "forEach", "slice", Symbol.iterator]],
        [JSON, ["stringify", "parse"]], [Object, ["keys", "entries", "defineProperty"]],
        [Function.prototype, ["call", "apply", "bind"]], [Set.prototype, ["add", "has"]], [Map.prototype, ["get", "set"]],
      ]) for (const name of names) object[name] = bad;
      Object.prototype.toJSON = bad; Array.prototype.toJSON = bad; String.prototype.toJSON = bad;
      Object.defineProperty(Object.prototype, "then", { get: bad });
      globalThis.Promise = globalThis.MutationObserver = globalThis.URL = globalThis.Set = globalThis.Map = bad;
      Object.defineProperty(document, "scripts", { get: bad });`),
    ends: checked,
  },
  {
    name: "getters that never return",
    page: script(`
      for (const name of ["scripts", "body", "characterSet", "baseURI", "title"])
        Object.defineProperty(document, name, { get() { for (;;); } });`),
    ends: checked,
  },
  {
    name: "a base of 60 kB and many links",
    page: html(`<base href="/${"b/".repeat(30_000)}">${'<a href="x">x</a>'.repeat(5_000)}`),
    ends: ["timeout", ...checked],
    hangs: "for long",
  },
  {
    name: "shadow roots in shadow roots",
    page: script(
      "let at = document.body; for (let i = 0; i < 3000; i++) { const root = at.attachShadow ? (() => { try { return at.attachShadow({ mode: 'open' }) } catch { return at } })() : at; at = root.appendChild(document.createElement('div')) }",
    ),
    ends: ["engine_error", "timeout", "browser_crashed", ...checked],
  },
];

/** They use up time, windows, processes or memory. */
export const hostileWithoutEnd: readonly HostilePage[] = [
  // ---- time ------------------------------------------------------------------------------------
  { name: "a script without end", page: script("for (;;);"), ends: ["timeout"], hangs: "for ever" },
  {
    name: "a script without end after the load event",
    page: html("<script>onload = () => setTimeout(() => { for (;;); })</script>"),
    ends: ["timeout"],
    hangs: "for ever",
  },
  {
    name: "a microtask without end",
    page: script("(async () => { for (;;) await 0 })()"),
    ends: ["timeout"],
    hangs: "for ever",
  },
  {
    name: "requests without end",
    page: script(
      "const more = () => fetch('/more?' + Math.random()).finally(more); for (let i = 0; i < 20; i++) more()",
    ),
    routes: { "/more": "" },
    ends: checked,
  },
  {
    name: "mutations without end",
    page: script(
      "setInterval(() => { for (let i = 0; i < 100; i++) document.body?.append(document.createElement('p')) }, 0)",
    ),
    ends: ["engine_error", "timeout", ...checked],
  },

  // ---- windows, dialogs, frames, workers -------------------------------------------------------
  {
    name: "dialogs without end",
    page: script("onbeforeunload = () => 'stay'; for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) }"),
    ends: checked,
  },
  { name: "print()", page: script("print()"), ends: checked },
  {
    name: "windows without end",
    page: script("setInterval(() => open('/other'), 1); for (let i = 0; i < 100; i++) open('about:blank')"),
    ends: checked,
  },
  {
    name: "frames of frames without end",
    page: html('<iframe title=f src="/frame"></iframe>'),
    routes: {
      "/frame": (request, response) => {
        const next = Number(new URL(request.url ?? "", "http://a").searchParams.get("n")) + 1;
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(
            html(`<iframe title=a src="/frame?n=${next}"></iframe><iframe title=b src="/frame?n=${next}b"></iframe>`),
          );
      },
    },
    ends: ["timeout", ...checked],
    hangs: "for ever",
  },
  {
    name: "five hundred frames",
    page: html('<iframe title=f srcdoc="<p>frame"></iframe>'.repeat(500)),
    ends: ["timeout", ...checked],
    hangs: "for long",
  },
  {
    name: "a service worker that answers everything",
    page: script("navigator.serviceWorker?.register('/worker.js')"),
    routes: {
      "/worker.js": {
        headers: { "content-type": "text/javascript" },
        body: "onfetch = (event) => event.respondWith(new Response('<p>mine', { headers: { 'content-type': 'text/html' } })); oninstall = () => skipWaiting()",
      },
    },
    ends: checked,
  },
  {
    name: "workers without end",
    page: script(
      "for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'], { type: 'text/javascript' })))",
    ),
    ends: ["timeout", ...checked],
    hangs: "for ever",
  },
  {
    name: "downloads without end",
    page: script(
      "for (let i = 0; i < 20; i++) { const a = document.createElement('a'); a.href = 'data:,x'; a.download = 'x' + i; a.click() }",
    ),
    ends: checked,
  },

  // ---- size ------------------------------------------------------------------------------------
  {
    name: "a DOM of 300,000 elements",
    page: script(
      "const p = document.body ?? document.documentElement; p.innerHTML = '<p><a href=x>x</a>'.repeat(150000)",
    ),
    ends: ["timeout", "engine_error", "too_much_memory", ...checked],
    hangs: "for long",
  },
  {
    name: "elements 100,000 deep",
    page: html("<div>".repeat(100_000)),
    ends: ["timeout", "engine_error", "browser_crashed", ...checked],
    hangs: "for long",
  },
  {
    name: "50,000 links of 2,000 characters each through a long base",
    page: script(
      "const base = document.createElement('base'); base.href = '/' + 'b'.repeat(1900) + '/'; document.head.append(base); document.body.innerHTML = Array.from({ length: 50000 }, (_, i) => '<a href=' + i + '>x</a>').join('')",
      "<p>",
    ).replace("<script>", "<p><script>"),
    ends: ["timeout", "engine_error", ...checked],
    hangs: "for long",
  },
  {
    name: "a page that is larger than the limit",
    page: { body: html("<p>".repeat(4_000_000)) },
    ends: ["too_large", "too_much_memory", "timeout"],
    hangs: "for long",
  },
  {
    name: "array buffers without end",
    page: script("const all = []; for (;;) all.push(new Uint8Array(64e6).fill(1))"),
    ends: ["too_much_memory"],
  },
  {
    name: "WebAssembly memory without end",
    page: script(
      "const all = []; for (;;) { const m = new WebAssembly.Memory({ initial: 1000 }); new Uint8Array(m.buffer).fill(1); all.push(m) }",
    ),
    ends: ["too_much_memory"],
  },
  {
    name: "array buffers without end after the load event",
    page: script("const all = []; setInterval(() => all.push(new Uint8Array(64e6).fill(1)), 1)"),
    ends: ["too_much_memory", ...checked],
  },
  {
    name: "array buffers of a worker without end",
    page: script(
      "new Worker(URL.createObjectURL(new Blob(['const all = []; for (;;) all.push(new Uint8Array(64e6).fill(1))'], { type: 'text/javascript' })))",
    ),
    ends: ["too_much_memory", ...checked],
  },
  {
    name: "strings without end",
    page: script("const all = []; for (;;) all.push('x'.repeat(1e6) + Math.random(), new Array(1e6).fill(0))"),
    ends: ["browser_crashed", "too_much_memory"],
  },
];

/** They attack whoever uses them, by keys, controls or motion. */
export const hostileWhenUsed: readonly HostilePage[] = [
  {
    name: "a handler of keys without end",
    page: script("addEventListener('keydown', () => { for (;;); })", "<a href=x>x</a>"),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "a handler of the window's size without end",
    page: script("addEventListener('resize', () => { for (;;); })", "<a href=x>x</a>"),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "a thief of the focus",
    page: html("<a href=x>x</a><input id=i><script>setInterval(() => i.focus(), 1)</script>"),
    ends: checked,
  },
  {
    name: "timers without end at each move of the focus",
    page: script(
      "const more = () => setTimeout(more, 1); addEventListener('focusin', () => { for (let i = 0; i < 2000; i++) more() })",
      "<p><a href=x>x</a>".repeat(100),
    ),
    ends: checked,
  },
  {
    name: "20,000 links",
    page: html("<p><a href=x>x</a>".repeat(20_000)),
    ends: ["timeout", ...checked],
    hangs: "for long",
  },
  {
    name: "timers that take long, in fast motion",
    page: script(
      "setInterval(() => { const end = Date.now() + 100; while (Date.now() < end); }, 6000)",
      "<audio loop src=x></audio>",
    ),
    ends: checked,
  },
  {
    name: "sounds that begin again and again",
    page: script(
      "setInterval(() => { for (const one of document.querySelectorAll('audio')) { one.load(); one.play().catch(() => {}) } }, 5)",
      "<audio loop src='data:audio/wav;base64,UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=='></audio>".repeat(
        200,
      ),
    ),
    // Its scripts use a processor without end: on a machine that does other things, too, its time may be over.
    ends: ["timeout", ...checked],
  },
  {
    name: "elements without end at each size of the window",
    page: script(
      "addEventListener('resize', () => document.body.insertAdjacentHTML('beforeend', '<p>x y z'.repeat(50000)))",
      "<a href=x>x</a>",
    ),
    ends: ["timeout", ...checked],
  },
  {
    name: "elements that are removed when they get the focus",
    page: script("addEventListener('focusin', ({ target }) => target.remove())", "<p><a href=x>x</a>".repeat(500)),
    ends: checked,
    says: "acted_in_part",
  },
  {
    name: "a frame that takes the focus again and again",
    page: html(
      "<a href=x>x</a><iframe title=f srcdoc='<input id=i><script>setInterval(() => i.focus(), 1)</script>'></iframe>",
    ),
    ends: checked,
  },
  {
    name: "frames that come and go with the focus",
    page: script(
      "addEventListener('focusin', () => { document.querySelector('iframe')?.remove(); document.body.insertAdjacentHTML('beforeend', '<iframe title=f srcdoc=\"<a href=x>x</a>\"></iframe>') })",
      "<p><a href=x>x</a>".repeat(20),
    ),
    ends: checked,
  },
  {
    name: "dialogs without end when something gets the focus",
    page: script("addEventListener('focusin', () => { for (;;) alert('again') })", "<a href=x>x</a>"),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "a handler of one character without end",
    page: script("addEventListener('keydown', ({ key }) => { if (key === 'n') for (;;); })"),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "elements without end at each character",
    page: script(
      "addEventListener('keydown', ({ key }) => { if (key.length === 1) document.body.insertAdjacentHTML('beforeend', '<p>x y z'.repeat(20000)) })",
    ),
    ends: checked,
  },
  {
    name: "characters that do what must not be done",
    page: doing("<script>addEventListener('keydown', ({ key }) => { if (key.length === 1) does() })</script>"),
    ends: checked,
  },
  {
    name: "a field that never ends when something is typed",
    page: html("<label>x <input oninput='for (;;);'></label>"),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "fields that make fields when something is typed or chosen",
    page: script(
      "const more = () => document.body.insertAdjacentHTML('beforeend', '<label>x <input></label>'.repeat(5000)); addEventListener('input', more); addEventListener('change', more)",
      "<label>x <input></label><label>y <select><option>1<option>2</select></label><label>z <input type=checkbox></label>",
    ),
    ends: checked,
  },
  {
    name: "fields that do what must not be done when something is typed or chosen",
    page: doing(
      "<label>x <input oninput='does()'></label><label>y <select onchange='does()'><option>1<option>2</select></label><label>z <input type=checkbox onchange='does()'></label>",
    ),
    ends: checked,
  },
  {
    name: "a control of sound that never ends",
    page: html(`${sound}<button type=button onclick="for (;;);">Mute</button>`),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "a control of motion that replaces the document",
    page: html(
      "<style>@keyframes a { to { opacity: 0 } } p { animation: a 9s infinite }</style><p>x y z</p><button type=button onclick='document.open(); document.write(`<p>mine`); document.close()'>Pause</button>",
    ),
    ends: checked,
  },
  {
    name: "controls of sound that make controls of sound",
    page: script(
      "addEventListener('click', ({ target }) => { for (let i = 0; i < 5000; i++) document.body.append(target.cloneNode(true)) })",
      `${sound}<button type=button>Pause</button>`,
    ),
    ends: checked,
  },
  {
    name: "controls of sound that do what must not be done",
    page: doing(
      `${sound}<form id=f method=post action="/change" target=inner><input type=hidden name=a></form><button form=f>Stop</button>${"<button type=button onclick='does()'>Stop, and delete my account</button>".repeat(2)}<a role=button href="/elsewhere">Stop</a>`,
    ),
    ends: checked,
  },
  {
    name: "10,000 elements that move",
    page: html(
      `<style>@keyframes a { to { rotate: 1turn } } b { animation: a 9s infinite }</style>${"<b>x</b> ".repeat(10_000)}`,
    ),
    ends: ["timeout", ...checked],
    hangs: "for long",
  },
  {
    name: "texts that change at every moment",
    page: script(
      "setInterval(() => { for (const one of document.querySelectorAll('b')) one.textContent = Math.random() }, 0)",
      "<b>x</b> ".repeat(300),
    ),
    // Its scripts use a processor without end: on a machine that does other things, too, its time may be over.
    ends: ["timeout", ...checked],
  },
  {
    name: "a handler of the device's motion without end",
    page: script("ondeviceorientation = ({ gamma }) => { if (gamma) for (;;); }"),
    ends: checked,
    says: "not_acted",
  },
  {
    name: "a handler of the device's motion that does what must not be done",
    page: doing("<script>ondeviceorientation = ({ gamma }) => { if (gamma) does() }</script>"),
    ends: checked,
  },
  {
    name: "forms around controls that are named like each member that acting reads",
    page: html(
      `${sound}${[
        ..."activeElement attributes blur body checkVisibility click clientLeft clientWidth closest currentTime disabled".split(
          " ",
        ),
        ..."dispatchEvent elementFromPoint firstChild focus form getAnimations getAttribute getAttributeNames".split(
          " ",
        ),
        ..."getBoundingClientRect getRootNode hasAttribute href innerHTML innerText isConnected localName matches".split(
          " ",
        ),
        ..."muted nodeType outerHTML ownerDocument parentElement parentNode paused play previousElementSibling".split(
          " ",
        ),
        ..."querySelector querySelectorAll scripts scrollIntoView scrollWidth scrollingElement shadowRoot style".split(
          " ",
        ),
        ..."textContent title type value volume".split(" "),
      ]
        .map(
          (name) =>
            `<img name="${name}" alt=""><form id="f-${name}"><input name="${name}" aria-label="a"><button type=button name="${name}">Pause</button></form>`,
        )
        .join("")}`,
    ),
    ends: checked,
  },
];
