import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import type { SiteCredentials } from "../../../src/domain/headers/site-credentials.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { fixtureSites, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { Route, Routes } from "../../support/site.ts";

const html = (title: string, body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
const page = (title: string, ...links: string[]): string =>
  html(
    title,
    `<main><h1>${title}</h1><p>Fresh bread, every day.</p>${links.map((to) => `<a href="${to}">x</a>`).join(" ")}</main>`,
  );
const to = (location: string) => ({ status: 302, headers: { location } });
const login = html(
  "Log in",
  `<main><h1>Log in</h1><form method="post"><label>E-mail <input type="email" name="email"></label>
   <label>Password <input type="password" name="password"></label><button>Log in</button></form><a href="/forgot">Forgot?</a></main>`,
);
const twoSteps = html(
  "Acme – Sign in",
  `<div class="card"><img src="data:," alt="Acme"><h2>Sign in to Acme</h2><form action="/session"><input name="identifier" placeholder="E-mail or phone"><button>Next</button></form></div>`,
);
const portal = html(
  "Intranet",
  `<div class="box"><p>Welcome</p><form action="/j_security_check" method="post"><input name="j_username"><input type="password" name="j_password"><input type="submit" value="Weiter"></form></div>`,
);
type Given = { status?: number; headers?: Record<string, string>; body?: string };

/** Answers with `own` as long as the cookie and the server agree, and with `other` later. */
const session = (state: { left: number }, own: string, other: string | Given): Route => {
  return (request: IncomingMessage, response: ServerResponse) => {
    const isKnown = /session=ok/.test(request.headers.cookie ?? "") && state.left-- > 0;
    const route = isKnown ? own : other;
    const { status = 200, headers = {}, body = "" }: Given = typeof route === "string" ? { body: route } : route;
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  };
};
const inSession = { headers: [{ name: "Cookie", value: "session=ok" }] };

type Made = {
  name: string;
  routes: (served: { other: string }) => Routes;
  start?: string;
  credentials?: Pick<SiteCredentials, "headers">;
  /** The start is a sign-in. */
  signsIn?: true;
  /** Path to null, or to the code of its failure. */
  pages: Record<string, string | null>;
  left?: Record<string, string>;
  /** Only a browser can see it. */
  scripts?: true;
};
const refused = { "/": "login_required" };

const behindSignIns: Made[] = [
  {
    name: "a start that redirects to a sign-in, with a way back",
    routes: () => ({ "/": to("/login?next=%2F"), "/login": login, "/forgot": page("Forgot") }),
    signsIn: true,
    pages: refused,
  },
  {
    name: "a start that redirects by meta refresh to two-step sign-in in German",
    routes: () => ({
      "/": html("…", "", '<meta http-equiv="refresh" content="0; url=/konto/anmelden.php">'),
      "/konto/anmelden.php": html(
        "Mein Konto",
        '<h1>Anmelden</h1><form><label>Benutzername <input name="benutzer" id="user"></label><button>Weiter</button></form>',
      ),
    }),
    signsIn: true,
    pages: refused,
  },
  {
    name: "a start that is answered with a sign-in, without a word in its title",
    routes: () => ({ "/": portal, "*": page("No") }),
    signsIn: true,
    pages: refused,
  },
  {
    name: "a start that redirects to another host's single sign-on",
    routes: ({ other }) => ({
      "/": to(`${other}/oauth2/authorize?client_id=7&response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb`),
    }),
    signsIn: true,
    pages: refused,
  },
  {
    name: "a start that refuses with 401 and a form",
    routes: () => ({ "/": { status: 401, body: login } }),
    signsIn: true,
    pages: refused,
  },
  {
    name: "a start whose script shows a sign-in at another address",
    routes: () => ({
      "/": html("App", '<div id="root"></div><script>location.replace("/signin?returnTo=%2F")</script>'),
      "/signin": html(
        "App",
        `<div id="root"></div><script>root.innerHTML = '<h1>Sign in</h1><a href="/auth/google">Continue with Google</a><a href="/auth/github">Continue with GitHub</a>'</script>`,
      ),
    }),
    signsIn: true,
    scripts: true,
    pages: refused,
  },
  {
    name: "a session that ends: pages redirect to the sign-in",
    credentials: inSession,
    routes: () => {
      const state = { left: 2 };
      const own = (title: string, ...links: string[]) => session(state, page(title, ...links), to("/login"));
      return {
        "/": own("Home", "/a", "/b", "/c", "/users/sign_out", "/?do=logout"),
        ...{ "/a": own("A"), "/b": own("B"), "/c": own("C"), "/login": login, "/forgot": page("Forgot") },
        ...{ "/users/sign_out": to("/login"), "/?do=logout": to("/login") },
      };
    },
    pages: { "/": null, "/a": null, "/b": "login_required", "/c": "login_required" },
    left: { "/users/sign_out": "signs_out", "/?do=logout": "signs_out" },
  },
  {
    name: "a session that ends: the sign-in is shown in place of pages, in Japanese",
    credentials: inSession,
    routes: () => {
      const state = { left: 2 };
      const gate = html(
        "ログイン",
        '<h1>ログイン</h1><form><input type="text" name="id"><input type="password" name="pw"><button>ログイン</button></form>',
      );
      const own = (title: string, ...links: string[]) => session(state, page(title, ...links), gate);
      return { "/": own("Home", "/a", "/account", "/c"), "/a": own("A"), "/account": own("Account"), "/c": own("C") };
    },
    pages: { "/": null, "/a": null, "/account": "login_required", "/c": "login_required" },
  },
  {
    name: "pages for members that refuse with 403 and a form, or redirect to a sign-in that is a page already",
    routes: () => ({
      "/": page("Club", "/login", "/minutes", "/members/list", "/about"),
      "/login": login,
      "/minutes": { status: 403, body: portal },
      "/members/list": to("/login"),
      ...{ "/about": page("About"), "/forgot": page("Forgot") },
    }),
    pages: {
      ...{ "/": null, "/login": null, "/about": null, "/forgot": null },
      ...{ "/minutes": "login_required", "/members/list": "login_required" },
    },
  },
  {
    name: "a page that a wall of two steps stands in for",
    routes: () => ({ "/": page("News", "/free", "/archive"), "/free": page("Free"), "/archive": twoSteps }),
    pages: { "/": null, "/free": null, "/archive": "login_required" },
  },
];

const headerForm =
  '<form action="/login" method="post"><input name="user"><input type="password" name="pass"><button>Log in</button></form>';
const open: Made[] = [
  {
    name: "a site that links to its sign-in and registration",
    routes: () => ({
      "/": page("Shop", "/login", "/register", "/old-login"),
      "/login": login,
      "/old-login": to("/login"),
      "/forgot": html(
        "Forgot your password?",
        '<main><h1>Forgot your password?</h1><form><input type="email" name="email"><button>Send</button></form></main>',
      ),
      "/register": html(
        "Register",
        '<main><h1>Register or log in</h1><form><input name="name"><input type="email" name="m"><input type="password" name="p1" autocomplete="new-password"><input type="password" name="p2" autocomplete="new-password"><button>Register</button></form></main>',
      ),
    }),
    pages: { "/": null, "/login": null, "/register": null, "/forgot": null },
    left: { "/old-login": "duplicate_redirect" },
  },
  {
    name: "sign-ins at addresses that do not say so by their paths, and one whose link says so",
    routes: () => {
      const paths = ["/index.php?title=Special:UserLogin&returnto=Main", "/wiki/Spezial:Anmelden", "/?view=login"];
      const start = html(
        "Wiki",
        `<h1>Wiki</h1>${paths.map((to) => `<a href="${to}">x</a>`).join("")}<a href="/area"><b>Log in</b></a>`,
      );
      return { "/": start, ...Object.fromEntries([...paths, "/area"].map((to) => [to, login])), "/forgot": page("F") };
    },
    pages: {
      ...{ "/": null, "/area": null, "/forgot": null, "/?view=login": null, "/wiki/Spezial:Anmelden": null },
      "/index.php?title=Special:UserLogin&returnto=Main": null,
    },
  },
  {
    name: "a small form in the header of every page",
    routes: () => {
      const own = (title: string, ...links: string[]) =>
        html(
          title,
          `<header>${headerForm}</header><h1>${title}</h1><p>Bread.</p>${links.map((to) => `<a href="${to}">x</a>`).join("")}`,
        );
      return { "/": own("Bakery", "/a", "/b"), "/a": own("A"), "/b": own("Log in to your oven") };
    },
    pages: { "/": null, "/a": null, "/b": null },
  },
  {
    name: "the same form without any header element",
    routes: () => {
      const own = (title: string, ...links: string[]) =>
        html(
          title,
          `<div>${headerForm}</div><h1>${title}</h1><p>Bread.</p>${links.map((to) => `<a href="${to}">x</a>`).join("")}`,
        );
      return { "/": own("Bakery", "/a"), "/a": own("A") };
    },
    pages: { "/": null, "/a": null },
  },
  {
    name: "a report that starts at a sign-in",
    start: "/login",
    routes: () => ({ "/login": login, "/forgot": page("Forgot") }),
    pages: { "/login": null, "/forgot": null },
  },
  {
    name: "a report that starts at a sign-in, which redirects to its language",
    start: "/signin",
    routes: () => ({ "/signin": to("/de/signin?return=%2F"), "/de/signin": login, "/forgot": page("Forgot") }),
    pages: { "/de/signin?return=%2F": null, "/forgot": null },
  },
  {
    name: "articles about signing in, and a search, a newsletter and a contact form",
    routes: () => ({
      "/": page("Help", "/how-to-log-in", "/search", "/newsletter", "/contact", "/help/login"),
      "/how-to-log-in": html(
        "How to log in",
        '<main><h1>How to log in</h1><p>Open the page, and type your name.</p><a href="/contact">Ask</a></main>',
      ),
      "/search": html("Search", '<h1>Search</h1><form><input type="search" name="q"><button>Search</button></form>'),
      "/newsletter": html(
        "Newsletter",
        '<h1>Sign up for our newsletter</h1><form><input type="email" name="email"><button>Subscribe</button></form>',
      ),
      "/contact": html(
        "Contact",
        '<h1>Contact</h1><form><input name="name"><input type="email" name="email"><textarea name="t"></textarea><button>Send</button></form>',
      ),
      "/help/login": page("What to do if you cannot log in"),
    }),
    pages: {
      "/": null,
      "/how-to-log-in": null,
      "/search": null,
      "/newsletter": null,
      "/contact": null,
      "/help/login": null,
    },
  },
  {
    name: "a start that redirects to a language, with a way back, and to an enrolment (Anmeldung) that is none",
    routes: () => ({
      "/": to("/de/?from=%2F"),
      "/de/": page("Kita", "/platz"),
      "/platz": to("/anmeldung"),
      "/anmeldung": html(
        "Anmeldung",
        '<main><h1>Anmeldung</h1><form><input name="kind"><input name="vorname"><input type="date" name="geboren"><input type="email" name="mail"><textarea name="wunsch"></textarea><button>Absenden</button></form></main>',
      ),
    }),
    pages: { "/de/?from=%2F": null, "/anmeldung": null },
    left: { "/platz": "duplicate_redirect" },
  },
  {
    name: "an account that shows its sign-in to everybody, and a log-out without a session",
    routes: () => ({
      "/": page("Shop", "/my-account/", "/logout"),
      "/my-account/": login,
      "/logout": to("/"),
      "/forgot": page("Forgot"),
    }),
    pages: { "/": null, "/my-account/": null, "/forgot": null },
    left: { "/logout": "duplicate_redirect" },
  },
  {
    name: "a session on a site with pages about ending sessions",
    credentials: inSession,
    routes: () => ({
      "/": page("Docs", "/docs/how-to-logout", "/timeouts?about=sessions", "/login"),
      "/docs/how-to-logout": page("How to log out"),
      "/timeouts": page("Timeouts"),
      ...{ "/login": login, "/forgot": page("Forgot") },
    }),
    pages: {
      "/": null,
      "/docs/how-to-logout": null,
      "/timeouts?about=sessions": null,
      "/login": null,
      "/forgot": null,
    },
  },
  {
    name: "a home page with a form to log in beside much else, a hidden dialog, and a refusal without a form",
    routes: () => ({
      "/": html(
        "Forum",
        `<div class="modal" style="display:none"><h2>Log in</h2>${headerForm}</div><main><h1>Forum</h1>${"<p>Somebody has said a lot about many things here.</p>".repeat(8)}<a href="/topic">x</a><a href="/admin">x</a></main>${headerForm}`,
      ),
      "/topic": html("Topic", `<main><h1>Topic</h1><p>Short.</p></main>${headerForm}`),
      "/admin": { status: 403, body: html("Forbidden", "<h1>Forbidden</h1><p>Please log in.</p>") },
    }),
    pages: { "/": null, "/topic": null, "/admin": "http_error" },
  },
];

describe("sign-ins", () => {
  let database: TestDatabase;
  const sites = fixtureSites();
  const verdicts: string[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  after(async () => {
    const right = verdicts.filter((verdict) => verdict === "right").length;
    console.log(
      `      recognised rightly: ${right} of ${verdicts.length} crawls of ${behindSignIns.length + open.length} sites`,
    );
    await database.drop();
  });
  afterEach(() => sites.close());

  const crawl = async ({ routes, start = "/", ...made }: Made, dynamicCrawler: boolean) => {
    const other = await sites.serve({ "*": html("Sign in", "<p>Sign in to continue.") });
    const site = await sites.serve(routes({ other: other.origin }));
    const credentials = made.credentials && { host: new URL(site.url).host, ...made.credentials };
    const spec = reportSpec({ maxPages: 0, rateLimit: 0, startingUrl: site.origin + start, dynamicCrawler });
    const reportId = await insertReport(database.db, { spec });
    await runCrawl(database, reportId, {
      credentials,
      openBrowser: () =>
        createDynamicFetcher({
          ...{ chromePath: undefined, policy: addressPolicy(["127.0.0.0/8"]), spec, credentials },
          log: createLogger("error", {}),
        }),
    });
    const { pages, checks, excluded, report } = await readCrawl(database.db, reportId);
    const short = (url: string) => url.replace(site.origin, "");
    const failures = new Map(checks.map((check) => [check.web_page_id, check.failure_code]));
    const notices = await readNotices(database.db, reportId);
    return {
      signsIn: notices.some(({ code }) => code === "start_signs_in"),
      pages: Object.fromEntries(pages.map(({ id, url }) => [short(url), failures.get(id) ?? null])),
      left: Object.fromEntries(excluded.map(({ url, reason }) => [short(url), reason])),
      end: [report.crawl_state, report.failure_code],
    };
  };

  for (const [kind, made] of [
    ["recognises", behindSignIns],
    ["does not mind", open],
  ] as const)
    for (const one of made)
      for (const dynamicCrawler of one.scripts ? [true] : [false, true])
        it(`${kind} ${one.name} (${dynamicCrawler ? "in a browser" : "by HTTP alone"})`, async () => {
          const index = verdicts.push("wrong") - 1;
          expect(await crawl(one, dynamicCrawler)).to.deep.equal({
            signsIn: one.signsIn ?? false,
            pages: one.pages,
            left: one.left ?? {},
            end: one.signsIn ? ["failed", "login_required"] : ["ended", null],
          });
          verdicts[index] = "right";
        });
});
