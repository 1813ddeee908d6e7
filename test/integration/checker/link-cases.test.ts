import { expect } from "chai";
import { type FoundLink, foundLinks, reportOfLinks } from "../../support/check-links.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Route, type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

/** An element, what its address responds, and which rules it breaks. `{o}` is another site, `{n}` a path of its own. */
type Case = [what: string, html: string, rules: readonly string[], route?: Route];

const at = (status: number, headers: Record<string, string> = {}): Route => ({ status, headers });
const css = (body: string): Route => ({ headers: { "content-type": "text/css" }, body });
/** Kinds of elements that load something. */
const loaded: [what: string, html: string][] = [
  ["an image", '<img src="{n}">'],
  ["a candidate of a srcset", '<img srcset="/there.png 1x, {n} 2x">'],
  ["a source of a picture", '<picture><source srcset="{n}"><img src="/there.png"></picture>'],
  ["a style sheet", '<link rel="stylesheet" href="{n}">'],
  ["an icon", '<link rel="icon" href="{n}">'],
  ["a manifest", '<link rel="manifest" href="{n}">'],
  ["a preloaded font", '<link rel="preload" as="font" href="{n}">'],
  ["a script", '<script src="{n}"></script>'],
  ["a medium", '<audio src="{n}"></audio>'],
  ["a poster", '<video poster="{n}"></video>'],
  ["a text track", '<video><track src="{n}"></video>'],
  ["a frame", '<iframe src="{n}"></iframe>'],
  ["an object", '<object data="{n}"></object>'],
  ["an embedded file", '<embed src="{n}">'],
  ["an image button", '<input type="image" src="{n}">'],
  ["an image of a drawing", '<svg><image href="{n}"/></svg>'],
  ["a picture in a style attribute", '<p style="background: url({n})"></p>'],
  ["a font in a style element", "<style>@font-face { font-family: x; src: url({n}) }</style>"],
  ["an imported style sheet", '<style>@import "{n}" layer(a) supports(display: grid);</style>'],
  ["a text of an image set", '<p style="background: image-set(&quot;{n}&quot; 1x type(&quot;image/png&quot;))"></p>'],
  ["a picture that is faded over another", '<p style="background: cross-fade(url(/there.png), url({n}))"></p>'],
  ["a cursor", '<p style="cursor: url({n}) 2 2, auto"></p>'],
  ["a mask of a drawing", '<svg><rect mask="url({n}#m)"/></svg>'],
  ["a part of another drawing", '<svg><use href="{n}#x"/></svg>'],
  ["a candidate of a preloaded image", '<link rel="preload" as="image" imagesrcset="{n} 2x">'],
  ["a preloaded module", '<link rel="modulepreload" href="{n}">'],
  ["the picture that other sites show", '<meta property="og:image" content="{n}">'],
  ["an image of the body, as it was once written", '<table background="{n}"></table>'],
  ["a startup image", '<link rel="apple-touch-startup-image" href="{n}">'],
];
const link = '<a href="{n}">x</a>';
const outside = '<a href="{o}{n}">x</a>';
/** What an address may respond. */
const answers: [what: string, route: Route, within: readonly string[], outside: readonly string[]][] = [
  ["200", at(200), [], []],
  ["204", at(204), [], []],
  ["301", at(301, { location: "/there" }), ["permanent-redirect"], ["permanent-redirect"]],
  ["302", at(302, { location: "/there" }), [], []],
  ["303", at(303, { location: "/there" }), [], []],
  ["307 to an error", at(307, { location: "/gone" }), ["broken-link"], ["broken-external-link"]],
  ["308", at(308, { location: "/there" }), ["permanent-redirect"], ["permanent-redirect"]],
  ["two redirects", at(302, { location: "/hop" }), ["redirect-chain"], ["redirect-chain"]],
  ["a loop", at(302, { location: "/loop" }), ["broken-link"], ["unverified-link"]],
  ["400", at(400), ["broken-link"], ["broken-external-link"]],
  ["401", at(401), ["unverified-link"], ["unverified-link"]],
  ["403", at(403), ["unverified-link"], ["unverified-link"]],
  ["404", at(404), ["broken-link"], ["broken-external-link"]],
  ["405", at(405), ["unverified-link"], ["unverified-link"]],
  ["410", at(410), ["broken-link"], ["broken-external-link"]],
  ["500", at(500), ["broken-link"], ["broken-external-link"]],
  ["503", at(503), ["broken-link"], ["broken-external-link"]],
  ["999", at(999), ["unverified-link"], ["unverified-link"]],
  ["a PDF", at(200, { "content-type": "application/pdf" }), [], []],
];
const closes: Route = (request) => {
  request.socket.destroy();
};

/** Sets a cookie and leads back, until it is there. */
const untilCookie =
  (cookie: string, name = /seen=1/): Route =>
  ({ url = "", headers }, response) => {
    const isThere = name.test(headers.cookie ?? "");
    response.writeHead(isThere ? 200 : 302, isThere ? {} : { location: url, "set-cookie": cookie }).end();
  };
const manifest = (content: object): Route => ({
  headers: { "content-type": "application/manifest+json" },
  body: JSON.stringify(content),
});
const loop = { within: ["broken-link"], outside: ["unverified-link"] } as const;
/** Cookies, and whether a browser comes back with them. */
const cookies: [what: string, cookie: string, isKept: boolean][] = [
  ["for all paths", "seen=1; Path=/", true],
  ["for an hour", "seen=1; Max-Age=3600; HttpOnly; SameSite=Strict", true],
  ["for another path", "seen=1; Path=/other", false],
  ["for another host", "seen=1; Domain=other.example", false],
  ["for https, which a browser takes this machine for", "seen=1; Secure", true],
  ["that is over", "seen=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", false],
  ["that is not the one", "other=1", false],
];

const cases: Case[] = [
  ...loaded.map(([what, html]): Case => [`${what} that is there`, html, [], at(200)]),
  ...loaded.map(([what, html]): Case => [`${what} that is not there`, html, ["broken-resource"], at(404)]),
  ...answers.map(([what, route, within]): Case => [`a link to ${what}`, link, within, route]),
  ...answers.map(([what, route, , rules]): Case => [`a link elsewhere, to ${what}`, outside, rules, route]),
  [
    "a link elsewhere, where HEAD is refused",
    outside,
    [],
    (request, response) => {
      response.writeHead(request.method === "HEAD" ? 405 : 200).end();
    },
  ],
  [
    "a link elsewhere, where HEAD is not found",
    outside,
    [],
    (request, response) => {
      response.writeHead(request.method === "HEAD" ? 404 : 200).end();
    },
  ],
  ["a link elsewhere, where the connection is closed", outside, ["broken-external-link"], closes],
  ["a link to a host that does not exist", '<a href="http://nowhere.invalid{n}">x</a>', ["broken-external-link"]],
  ["a link to a closed port", '<a href="http://127.0.0.2:9{n}">x</a>', ["broken-external-link"]],
  ["a link to a private address", '<a href="http://10.0.0.1{n}">x</a>', ["unverified-link"]],
  ["a link to a server without TLS", '<a href="https://{host}{n}">x</a>', ["broken-external-link"]],
  ["a link with rel=nofollow to an error elsewhere", '<a rel="nofollow" href="{o}{n}">x</a>', [], at(404)],
  [
    "an address of a mail, a telephone, a script and data",
    '<a href="mailto:a@b.example">x</a><a href="tel:1">x</a><a href="javascript:x()">x</a><a href="data:,x">x</a>',
    [],
  ],
  ["a link with a user name", '<a href="http://user@127.0.0.2{n}">x</a>', []],
  ["what is no URL", '<a href="http://[x]{n}">x</a>', ["invalid-address"]],
  ["a link in a template", `<template>${link}</template>`, [], at(404)],
  ["an image in a noscript", '<noscript><img src="{n}"></noscript>', [], at(404)],
  ["a link of a drawing", '<svg><a xlink:href="{n}"></a></svg>', ["broken-link"], at(404)],
  ["an area", '<map name="m"><area href="{n}"></map>', ["broken-link"], at(404)],
  ["an alternate document", '<link rel="alternate" href="{n}">', ["broken-link"], at(404)],
  ["a hint to connect", '<link rel="preconnect" href="{o}{n}">', [], at(404)],
  ["a link without scheme", '<a href="//{host}{n}">x</a>', ["broken-external-link"], at(404)],
  ["an address with what a browser corrects", '<a href=" \\the&#x72;e\t">x</a>', []],
  ["a host that ends with a dot", '<a href="http://nowhere.invalid.{n}">x</a>', ["broken-external-link"]],
  ["a host in another script", '<a href="http://bücher.invalid{n}">x</a>', ["broken-external-link"]],
  ["a query in another script", '<a href="{n}?q=ä&amp;r=%C3%A4">x</a>', [], at(200)],
  ["two links to one address", `${link}<a href="{n}#x">y</a>`, ["broken-link"], at(404)],
  ["an icon that is embedded", '<link rel="icon" href="data:,x">', []],
  ["an element in a comment", "<!-- <img src={n}> -->", [], at(404)],
  ["an ignored parameter", '<a href="/there?utm_source=x">x</a>', []],
  [
    "an image that needs a parameter which is ignored in links",
    '<img src="{n}?utm_source=x">',
    [],
    ({ url }, response) => void response.writeHead(url?.includes("?") ? 200 : 404).end(),
  ],
  ["a port that no browser opens", '<a href="http://127.0.0.2:25/">x</a>', ["broken-external-link"]],
  ["a block of data", '<script type="application/json" src="{n}"></script>', [], at(404)],
  [
    "a font of a style sheet",
    '<link rel="stylesheet" href="{n}">',
    ["broken-resource"],
    css("@font-face{src:url(/no.woff2)}"),
  ],
  [
    "a style sheet that a style sheet imports, which is there",
    '<link rel="stylesheet" href="{n}">',
    [],
    css('@import "/there.css";'),
  ],
  [
    "a font of a style sheet that is imported by another",
    '<link rel="stylesheet" href="/imports.css">',
    ["broken-resource"],
  ],
  ["style sheets that import each other", '<link rel="stylesheet" href="/ring.css">', []],
  ["an excluded address", '<a href="/secret{n}">x</a>', []],
  ["a place in the page", '<a href="#place">x</a>', []],
  ["a name in the page", '<a href="#named">x</a>', []],
  ["no place in the page", '<a href="#no{n}">x</a>', ["broken-fragment"]],
  ["a drawing in the page", '<svg id="drawing{n}"></svg><a href="#drawing{n}">x</a>', []],
  ["data that is long", `<a href="data:text/plain,${"x".repeat(9_000)}">x</a>`, []],
  ["a place in other case", '<a href="#PLACE">x</a>', ["broken-fragment"]],
  ["the top of the page", '<a href="#top">x</a><a href="#">x</a><a href="">x</a>', []],
  ["a place that is escaped", '<a href="#caf%C3%A9">x</a>', []],
  ["a place that is not escaped", '<a href="#café">x</a>', []],
  ["a text of the page", '<a href="#:~:text=hello">x</a>', []],
  ["a place in another page", '<a href="/there#there">x</a>', []],
  ["no place in another page", '<a href="/there#nowhere">x</a>', ["broken-fragment"]],
  ["a view of a script", '<a href="/there#/view">x</a><a href="/there#!view">x</a>', []],
  ["a page of a PDF", '<a href="/file.pdf#page=2">x</a>', []],
  ["a place behind a redirect", '<a href="/moved#there">x</a>', []],
  ["no place behind a redirect", '<a href="/moved#nowhere">x</a>', ["broken-fragment"]],
  ["no place behind two redirects", '<a href="/twice#nowhere">x</a>', ["broken-fragment", "redirect-chain"]],
  ["a place that a redirect names", '<a href="/named#nowhere">x</a>', []],
  ["no place that a redirect names", '<a href="/misnamed">x</a>', ["broken-fragment"]],
  ["a place behind a refresh, which keeps none", '<a href="/refreshed#nowhere">x</a>', []],
  ["a text of a page behind a redirect", '<a href="/moved#:~:text=x">x</a>', []],
  ["a place with a percent sign that escapes nothing", '<a href="#100%25%">x</a><p id="100%%"></p>', []],
  ...cookies.flatMap(([what, cookie, isKept]): Case[] => [
    [`a link to what sets a cookie ${what}`, link, isKept ? [] : loop.within, untilCookie(cookie)],
    [`a link elsewhere, to what sets a cookie ${what}`, outside, isKept ? [] : loop.outside, untilCookie(cookie)],
  ]),
  ["an image that sets a cookie first", '<img src="{n}">', [], untilCookie("seen=1")],
  [
    "a link to what sets a new cookie each time",
    link,
    ["broken-link"],
    ({ url = "" }, response) =>
      void response.writeHead(302, { location: url, "set-cookie": `n=${Math.random()}` }).end(),
  ],
  [
    "a link to what looks whether a cookie is kept, and refuses who has none",
    link,
    [],
    ({ url = "", headers }, response) => {
      const path = url.split("?", 1)[0] ?? "";
      const isKept = headers.cookie === "kept=1";
      const location = isKept ? path : `${path}?kept`;
      if (isKept && url === path) response.end();
      else if (url === path || isKept) response.writeHead(302, { location, "set-cookie": "kept=1" }).end();
      else response.writeHead(403).end();
    },
  ],
  ["a long way round to a cookie, by another host", '<a href="/long-way">x</a>', []],
  ["a wall of consent on the way", '<a href="/behind-wall">x</a>', []],
  ["a wall of another host on the way", '<a href="/behind-other-wall">x</a>', []],
  ...[
    "htp://example.com/",
    "htttps://example.com/",
    "mailt:a@b.example",
    "localhost:8080/x",
    "example.com:80",
    "C:\\x",
  ].map((url): Case => [`a mistaken scheme: ${url}`, `<a href="${url}">x</a>`, ["invalid-address"]]),
  ["a mistaken scheme of an image", '<img src="htp://example.com/x.png">', ["invalid-address"]],
  [
    "a scheme of a program",
    '<a href="slack:open">x</a><a href="callto:ada">x</a><a href="web+x:y">x</a><a href="sip:1@b.example">x</a>',
    [],
  ],
  ["a link to ftp", '<a href="ftp://example.com/x">x</a>', ["unverified-link"]],
  ["an image of ftp", '<img src="ftp://example.com/x">', ["broken-resource"]],
  ["a file of the author's computer", '<a href="file:///C:/x.html">x</a>', ["unverified-link"]],
  ["what a style element of another type names", '<style type="text/less">a { b: url({n}) }</style>', [], at(404)],
  ["what a style sheet asks for in a condition", "<style>@supports (x: url({n})) { a { b: c } }</style>", [], at(404)],
  ["an import that comes too late", '<style>a { b: c } @import "{n}";</style>', [], at(404)],
  [
    "an icon of a manifest",
    '<link rel="manifest" href="{n}">',
    ["broken-resource"],
    manifest({ icons: [{ src: "/no.png" }, { src: "there.png" }], start_url: "/there" }),
  ],
  [
    "pictures and shortcuts of a manifest",
    '<link rel="manifest" href="{n}">',
    ["broken-resource", "broken-link"],
    manifest({ screenshots: [{ src: "no2.png" }], shortcuts: [{ url: "/no", icons: [{ src: "/there.png" }] }] }),
  ],
  ["a manifest that is none", '<link rel="manifest" href="{n}">', [], { body: "<!doctype html>" }],
  ["a font of the sixth style sheet of a chain", '<link rel="stylesheet" href="/chain-1.css">', ["broken-resource"]],
];

const page = (body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>t</title></head>\n<body>\n${body}\n<p id="place"></p><a name="named"></a><p id="café"></p>\n</body>\n</html>\n`;
const shared: Routes = {
  "/there": page('<p id="there"></p>'),
  "/there.png": { headers: { "content-type": "image/png" } },
  "/there.css": css(""),
  "/imports.css": css('@import "/imported.css";'),
  "/imported.css": css("@font-face { src: url(/no.woff) }"),
  "/ring.css": css('@import "/ring2.css";'),
  "/ring2.css": css('@import "/ring.css";'),
  "/file.pdf": { headers: { "content-type": "application/pdf" } },
  "/moved": at(302, { location: "/there" }),
  "/twice": at(302, { location: "/moved" }),
  "/named": at(302, { location: "/there#there" }),
  "/misnamed": at(302, { location: "/there#nowhere" }),
  "/refreshed": '<meta http-equiv="refresh" content="0; url=/there">',
  "/behind-wall": ({ headers }, response) => {
    const isIn = headers.cookie === "consent=yes";
    response.writeHead(isIn ? 200 : 302, isIn ? {} : { location: "/wall" }).end();
  },
  "/after-long-way": ({ headers }, response) => {
    const isIn = /way=1/.test(headers.cookie ?? "");
    response.writeHead(isIn ? 200 : 302, isIn ? {} : { location: "/long-way" }).end();
  },
  "/way-back": at(302, { location: "/after-long-way", "set-cookie": "way=1; Path=/" }),
  "/wall": at(302, { location: "/behind-wall", "set-cookie": "consent=yes" }),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5].map((n) => [`/chain-${n}.css`, css(`@import url(chain-${n + 1}.css) screen;`)]),
  ),
  "/chain-6.css": css("@font-face { src: url(/no-6.woff) }"),
  "/hop": at(302, { location: "/there" }),
  "/loop": at(302, { location: "/loop" }),
};

describe("Link checks", function () {
  this.timeout(limitOf(60));
  let database: TestDatabase;
  let site: Site;
  let other: Site;
  let found: FoundLink[];
  let crawled: ReadonlySet<string>;
  let requestsOfCrawl: number;

  before(async () => {
    database = await createTestDatabase();
    const routes: Routes = { ...shared };
    for (const [index, [, , , route]] of cases.entries()) if (route) routes[`/case-${index}`] = route;
    const leadsTo =
      (path: string): Route =>
      ({ url }, response) =>
        void response.writeHead(302, { location: `http://${url?.split("?")[1]}${path}` }).end();
    const ways = { "/wall": leadsTo("/behind-other-wall"), "/way": leadsTo("/way-back") };
    other = await serveSite({ ...routes, ...ways }, "127.0.0.2");
    const host = new URL(other.url).host;
    // One line for each.
    const body = cases.map(([, html], index) =>
      html.replaceAll("{n}", `/case-${index}`).replaceAll("{o}", other.origin).replaceAll("{host}", host),
    );
    // As where one signs in by another host, which leads back.
    routes["/behind-other-wall"] = ({ headers }, response) => {
      const isIn = headers.cookie === "state=1";
      const location = `${other.origin}/wall?${headers.host}`;
      response.writeHead(isIn ? 200 : 302, isIn ? {} : { location, "set-cookie": "state=1" }).end();
    };
    routes["/long-way"] = ({ headers }, response) =>
      void response.writeHead(302, { location: `${other.origin}/way?${headers.host}` }).end();
    // Scripts may make places, so that nobody knows which are missing in their page.
    const runs = (html: string) => /<script src/.test(html);
    const pages = {
      "/": page(`${body.map((html) => (runs(html) ? "" : html)).join("\n")}<a href="/scripts">x</a>`),
      "/scripts": page(body.map((html) => (runs(html) ? html : "")).join("\n")),
    };
    site = await serveSite({ ...routes, ...pages, "/secret*": at(404) });
    const spec = { startingUrl: site.url, exclusions: ["/secret"] };
    const id = await reportOfLinks(database, spec, {
      onCrawled: () => {
        crawled = new Set(site.requests.map(({ path }) => path));
        requestsOfCrawl = site.requests.length;
      },
    });
    found = (await foundLinks(database, id)).filter((one) => Object.keys(pages).includes(new URL(one.page).pathname));
  });
  after(async () => {
    await site.close();
    await other.close();
    await database.drop();
  });

  for (const [index, [what, , rules]] of cases.entries())
    it(`judge ${what}: ${rules.join(", ") || "nothing wrong"}`, () => {
      const line = 5 + index;
      const own = found.filter((one) => one.line === line);
      expect([...new Set(own.map(({ rule }) => rule))], own.map(({ message }) => message).join(" ")).to.deep.equal(
        rules,
      );
    });

  it("do not request again what the crawl has requested", () => {
    const later = site.requests.slice(requestsOfCrawl).map(({ path }) => path);
    // Redirects in a circle are followed once more, with cookies.
    const again = later.filter((path) => crawled.has(path) && !/^\/(?:behind-other-wall|long-way)$/.test(path));
    expect(again).to.deep.equal([]);
    expect(later.length).to.be.above(0);
  });

  it("request each address elsewhere once, and by GET only after HEAD was refused", () => {
    for (const [path, requests] of Map.groupBy(other.requests, (request) => request.path)) {
      // Redirects lead to the others as well, and where a connection is closed the request is sent again.
      const route = cases[Number(/^\/case-(\d+)$/.exec(path)?.[1])]?.[3];
      const leadsBack = requests.some((request) => request.headers.cookie);
      if (route === undefined || route === closes || leadsBack) continue;
      expect(requests.map(({ method }) => method).join(), path).to.be.oneOf(["HEAD", "HEAD,GET"]);
    }
  });

  it("ask another host for one address after the other, with pauses", () => {
    const times = other.requests.map((request) => request.at);
    // Where a connection was closed, the request was sent again at once.
    const turns = times.filter((time, index) => time - (times[index - 1] ?? 0) > 5);
    expect(turns).to.have.length.above(20);
    // The clock of this test is not that of the checker, and a busy machine notes one request late: so five pauses at a time.
    const ofFive = turns.slice(5).map((time, index) => time - (turns[index] ?? 0));
    expect(Math.min(...ofFive)).to.be.above(5 * 100);
  });
});
