import type { Routes } from "../support/site.ts";

/**
 * Ways in which a page can make a browser send something to another host. Add a line. `THERE` stands for a URL
 * that nothing else requests, `HOST` for its host and port.
 */
export type BrowserVector = {
  name: string;
  /** The page. */
  html: string;
  /** Files beside it. */
  routes?: Routes;
  headers?: Record<string, string>;
  /** True when even an allowed host gets no request: this browser does not know the way, or it is turned off. */
  unused?: boolean;
};

const script = (code: string): string => `<script>${code}</script>`;
const js = (body: string): Routes[string] => ({ headers: { "content-type": "text/javascript" }, body });
const css = (code: string): string => `<style>${code}</style>`;

export const browserVectors: BrowserVector[] = [
  // ---- scripts ---------------------------------------------------------------------------------
  { name: "fetch", html: script('fetch("THERE", { mode: "no-cors" })') },
  { name: "fetch that outlives the page", html: script('fetch("THERE", { mode: "no-cors", keepalive: true })') },
  { name: "fetch by https", html: script('fetch("https://HOST/", { mode: "no-cors" })'), unused: true },
  { name: "fetchLater", html: script('fetchLater("https://HOST/", { activateAfter: 0 })'), unused: true },
  { name: "XMLHttpRequest", html: script('const x = new XMLHttpRequest(); x.open("GET", "THERE"); x.send()') },
  {
    name: "a synchronous XMLHttpRequest",
    html: script('const x = new XMLHttpRequest(); x.open("GET", "THERE", false); x.send()'),
  },
  { name: "EventSource", html: script('new EventSource("THERE")') },
  { name: "WebSocket", html: script('new WebSocket("THERE".replace("http", "ws"))') },
  { name: "WebTransport", html: script('new WebTransport("https://HOST/")'), unused: true },
  { name: "sendBeacon", html: script('navigator.sendBeacon("THERE", "secret")') },
  { name: "Image", html: script('new Image().src = "THERE"') },
  { name: "import()", html: script('import("THERE").catch(() => {})') },
  {
    name: "WebRTC by STUN and TURN",
    html: script(`const peer = new RTCPeerConnection({ iceServers: [{ urls: ["stun:HOST", "turn:HOST?transport=tcp"], username: "a", credential: "b" }] });
      peer.createDataChannel("a"); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`),
    unused: true,
  },

  // ---- workers ---------------------------------------------------------------------------------
  {
    name: "a worker",
    html: script('new Worker("/file")'),
    routes: { "/file": js('fetch("THERE", { mode: "no-cors" })') },
  },
  {
    name: "importScripts of a worker",
    html: script('new Worker("/file")'),
    routes: { "/file": js('importScripts("THERE")') },
  },
  {
    name: "a worker of a blob",
    html: script("new Worker(URL.createObjectURL(new Blob([`fetch('THERE', { mode: 'no-cors' })`])))"),
  },
  {
    name: "a worker in a worker",
    html: script('new Worker("/file")'),
    routes: { "/file": js('new Worker("/inner")'), "/inner": js('fetch("THERE", { mode: "no-cors" })') },
  },
  {
    name: "a WebSocket of a worker",
    html: script('new Worker("/file")'),
    routes: { "/file": js('new WebSocket("THERE".replace("http", "ws"))') },
  },
  {
    name: "a shared worker",
    html: script('new SharedWorker("/file")'),
    routes: { "/file": js('fetch("THERE", { mode: "no-cors" })') },
  },
  {
    name: "a service worker",
    html: script('navigator.serviceWorker.register("/file")'),
    routes: { "/file": js('fetch("THERE", { mode: "no-cors" })') },
  },
  {
    name: "importScripts of a service worker",
    html: script('navigator.serviceWorker.register("/file")'),
    routes: { "/file": js('importScripts("THERE")') },
  },
  { name: "an audio worklet", html: script('new AudioContext().audioWorklet.addModule("THERE")') },
  { name: "a paint worklet", html: script('CSS.paintWorklet.addModule("THERE")') },

  // ---- elements --------------------------------------------------------------------------------
  { name: "<img>", html: '<img src="THERE" alt="">' },
  { name: "<img srcset>", html: '<img srcset="THERE 1x" alt="">' },
  { name: "<picture>", html: '<picture><source srcset="THERE"><img alt=""></picture>' },
  { name: "<input type=image>", html: '<input type="image" src="THERE" alt="">' },
  { name: "<body background>", html: '<body background="THERE">' },
  { name: "<video>", html: '<video src="THERE" preload="auto"></video>' },
  { name: "<video poster>", html: '<video poster="THERE"></video>' },
  { name: "<audio>", html: '<audio src="THERE" preload="auto"></audio>' },
  {
    name: "<track>",
    html: '<video src="/x"><track src="THERE" default></video><script>document.querySelector("track").track.mode = "showing"</script>',
    unused: true,
  },
  { name: "<script>", html: '<script src="THERE"></script>' },
  { name: "<script type=module>", html: '<script type="module" src="THERE"></script>' },
  {
    name: "an import map",
    html: '<script type="importmap">{"imports":{"a":"THERE"}}</script><script type="module">import "a"</script>',
  },
  { name: "<iframe>", html: '<iframe src="THERE"></iframe>' },
  { name: "<iframe srcdoc>", html: "<iframe srcdoc=\"<img src='THERE'>\"></iframe>" },
  { name: "<iframe> of a data: URL", html: "<iframe src=\"data:text/html,<img src='THERE'>\"></iframe>" },
  { name: "<iframe> of a javascript: URL", html: "<iframe src=\"javascript:'<img src=THERE>'\"></iframe>" },
  { name: "<frameset>", html: '<frameset><frame src="THERE"></frameset>' },
  { name: "<object>", html: '<object data="THERE"></object>' },
  { name: "<embed>", html: '<embed src="THERE">' },
  { name: "<svg><image>", html: '<svg><image href="THERE"/></svg>' },
  { name: "<svg><use>", html: '<svg><use href="THERE#a"/></svg>', unused: true },
  {
    name: "<svg><feImage>",
    html: '<svg><filter id="f"><feImage href="THERE"/></filter><rect filter="url(#f)"/></svg>',
  },

  // ---- styles ----------------------------------------------------------------------------------
  { name: "<link rel=stylesheet>", html: '<link rel="stylesheet" href="THERE">' },
  { name: "@import", html: css("@import 'THERE';") },
  { name: "a background", html: css("body { background: url(THERE) }") },
  { name: "content of ::before", html: css("body::before { content: url(THERE) }") },
  { name: "a cursor", html: css("body { cursor: url(THERE), auto }") },
  { name: "a font", html: `${css("@font-face { font-family: a; src: url(THERE) } body { font-family: a }")}text` },
  { name: "FontFace", html: script('new FontFace("a", "url(THERE)").load()') },

  // ---- hints -----------------------------------------------------------------------------------
  { name: "<link rel=preload>", html: '<link rel="preload" as="image" href="THERE">' },
  { name: "<link rel=modulepreload>", html: '<link rel="modulepreload" href="THERE">' },
  { name: "<link rel=prefetch>", html: '<link rel="prefetch" href="THERE">' },
  { name: "<link rel=preconnect>", html: '<link rel="preconnect" href="THERE">', unused: true },
  { name: "<link rel=dns-prefetch>", html: '<link rel="dns-prefetch" href="THERE">', unused: true },
  { name: "<link rel=prerender>", html: '<link rel="prerender" href="THERE">', unused: true },
  { name: "<link rel=icon>", html: '<link rel="icon" href="THERE">', unused: true },
  { name: "<link rel=manifest>", html: '<link rel="manifest" href="THERE">', unused: true },
  {
    name: "speculation rules: prefetch",
    html: '<script type="speculationrules">{"prefetch":[{"source":"list","urls":["THERE"],"eagerness":"immediate"}]}</script>',
    unused: true,
  },
  {
    name: "speculation rules: prerender",
    html: '<script type="speculationrules">{"prerender":[{"source":"list","urls":["THERE"],"eagerness":"immediate"}]}</script>',
    unused: true,
  },
  { name: "a Link header", html: "<p>", headers: { link: '<THERE>; rel="preload"; as="image"' } },

  // ---- navigations and windows -----------------------------------------------------------------
  { name: "location", html: script('location = "THERE"') },
  { name: "location at the load event", html: script('onload = () => { location = "THERE" }') },
  { name: "<meta http-equiv=refresh>", html: '<meta http-equiv="refresh" content="0; url=THERE">' },
  { name: "a Refresh header", html: "<p>", headers: { refresh: "0; url=THERE" } },
  { name: "a form", html: `<form action="THERE" method="post"></form>${script("document.forms[0].submit()")}` },
  {
    name: "a form in a frame",
    html: `<iframe name="f"></iframe><form action="THERE" target="f"></form>${script("document.forms[0].submit()")}`,
  },
  { name: "a link that is clicked", html: `<a href="THERE" id="a">a</a>${script("a.click()")}` },
  { name: "<a ping>", html: `<a href="#x" ping="THERE" id="a">a</a>${script("a.click()")}`, unused: true },
  { name: "window.open", html: script('open("THERE")'), unused: true },
  {
    name: "<a target=_blank>",
    html: `<a href="THERE" target="_blank" id="a">a</a>${script("a.click()")}`,
    unused: true,
  },
  {
    name: "a redirect of the site",
    html: '<img src="/file" alt="">',
    routes: { "/file": { status: 302, headers: { location: "THERE" } } },
  },
  {
    name: "a redirect of a frame",
    html: '<iframe src="/file"></iframe>',
    routes: { "/file": { status: 307, headers: { location: "THERE" } } },
  },

  // ---- reports ---------------------------------------------------------------------------------
  {
    name: "a report of a content security policy",
    html: '<img src="/blocked.png" alt="">',
    headers: { "content-security-policy": "img-src 'none'; report-uri THERE" },
  },
  {
    name: "reports by Reporting-Endpoints",
    html: '<img src="/blocked.png" alt="">',
    headers: {
      "reporting-endpoints": 'a="THERE"',
      "content-security-policy": "img-src 'none'; report-to a",
    },
    unused: true,
  },
];
