import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { bodyOf, html } from "../../support/members-sites.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const page = (title: string, body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
const picture = (id: string) =>
  `<img id="${id}" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="9" height="9">`;

describe("check of pages in a state", function () {
  this.timeout(limitOf(60));
  let sandbox: Sandbox;
  let site: Site | undefined;

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(() => site?.close());
  after(() => sandbox.close());

  /** Checks a site with a configuration. @returns the rules of the errors that were found, by page */
  const check = async (routes: Routes, options: object, args = ["--no-html", "--a11y"]) => {
    site = await serveSite(routes);
    const file = path.join(sandbox.folder, "check.yaml");
    await writeFile(file, stringify(options));
    const given = ["check", site.url, "--config", file, ...args, "--json"];
    const { stdout } = await sandbox.start(given, {}).ended;
    const { data, findings } = JSON.parse(stdout);
    const origin = site.origin;
    const found: Record<string, string[]> = {};
    for (const { page_url, rule, outside_standard } of findings)
      if (!outside_standard)
        found[page_url.replace(origin, "")] = [...(found[page_url.replace(origin, "")] ?? []), rule];
    const notices = data.attributes.coverage.notices.map(
      ({ code: one, examples }: { code: string; examples: { detail: string }[] }) => `${one}: ${examples[0]?.detail}`,
    );
    return { found, notices, report: data.attributes };
  };

  const menu = `<button id="menu" aria-expanded="false">Menu</button><nav hidden>${picture("in-menu")}</nav>
    <script>document.querySelector("#menu").onclick = () => { document.querySelector("nav").hidden = false; };</script>`;
  const open = [{ type: "click", selectors: [["aria/Menu"], ["#menu"]] }];

  it("finds the faults of a menu when it is open, and those of the page itself in both", async () => {
    const home = page("Home", `${menu}${picture("own")}<a href="/about">About</a>`);
    const { found, report } = await check(
      { "/": home, "/about": page("About", "<p>Us</p>") },
      { states: [{ name: "menu-open", url: "/", steps: open }] },
    );
    expect(found).to.deep.equal({ "/": ["image-alt"], "/#:~:state=menu-open": ["image-alt", "image-alt"] });
    expect(report.num_pages).to.equal(3);
    expect(report.checks.a11y.status.checked).to.equal(3);
  });

  it("checks each page, and its states, on each device", async () => {
    const narrow = `<meta name="viewport" content="width=device-width"><style>#narrow { display: none } @media (max-width: 500px) { #narrow { display: inline } }</style>`;
    const agent = `<script>if (/iPhone/.test(navigator.userAgent) && navigator.maxTouchPoints > 0) document.title = "";</script>`;
    const { found, report } = await check(
      { "/": page("Home", `${narrow}${menu}${picture("narrow")}${agent}`) },
      { devices: ["iPad Pro 11", "iPhone 15"], states: [{ name: "open", steps: open }] },
    );
    expect(found).to.deep.equal({
      "/#:~:state=open": ["image-alt"],
      "/#:~:device=iphone-15": ["document-title", "image-alt"],
      "/#:~:device=iphone-15&state=open": ["document-title", "image-alt", "image-alt"],
    });
    expect(report.num_pages).to.equal(4);
    expect(report.devices).to.have.length(1);
  });

  it("opens the views behind a # as pages, with their own links and faults", async () => {
    const script = `<main></main><nav><a href="#/about">About</a> <a href="#top">Top</a></nav><script>
      const views = { "#/about": '<a href="#/team">Team</a>${picture("a")}', "#/team": '<a href="/paper">Paper</a>${picture("b")}${picture("c")}' };
      const show = () => { document.querySelector("main").innerHTML = views[location.hash] ?? '<a href="#!legacy">Old</a>'; };
      addEventListener("hashchange", show); show();</script>`;
    const app = page("App", script);
    const paper = page("Paper", picture("d"));
    const { found, notices, report } = await check(
      { "/": app, "/paper": paper },
      {
        followHashRoutes: true,
        html: true,
        states: [{ name: "x", url: "/paper", steps: [{ type: "click", selectors: ["h1"] }] }],
      },
    );
    expect(found).to.deep.equal({
      "/#/about": ["image-alt"],
      "/#/team": ["image-alt", "image-alt"],
      "/paper": ["image-alt"],
      "/paper#:~:state=x": ["image-alt"],
    });
    expect(notices).to.deep.equal(["state_shows_nothing: The steps of x changed nothing."]);
    // The page, three views, the paper and its state.
    expect(report.num_pages).to.equal(6);
    expect(report.checks.a11y.status.checked).to.equal(6);
  });

  it("brings each state about from the same start, when it has come, and says which brings nothing", async () => {
    const body = `<div id="box" onmouseenter="h.hidden = false" style="padding: 9px">Point here</div><div id="h" hidden>${picture("hovered")}</div>
      <button id="late" onclick="setTimeout(() => { l.hidden = false }, 900)">Later</button><div id="l" hidden>${picture("later")}</div><button id="dead">Dead</button>`;
    const stateOf = (name: string, steps: object[]) => ({ name, url: "/", steps });
    const banner = { type: "click", selector: "#banner", optional: true, timeout: 100 };
    const { found, notices } = await check(
      { "/": page("Home", body) },
      {
        prepare: [{ steps: [banner] }],
        states: [
          stateOf("a", [{ type: "hover", selector: "#box" }]),
          stateOf("b", [{ type: "click", selector: "#late" }]),
          stateOf("c", [{ type: "click", selector: "#dead" }]),
          stateOf("d", [{ type: "hover", selector: "#box" }]),
        ],
      },
    );
    expect(found).to.deep.equal({
      "/#:~:state=a": ["image-alt"],
      "/#:~:state=b": ["image-alt"],
      "/#:~:state=d": ["image-alt"],
    });
    expect(notices).to.have.length(2);
    expect(notices[0]).to.equal("state_shows_nothing: The steps of c changed nothing.");
    expect(notices[1]).to.match(
      /^steps_passed_by: Step 1 \(click #banner, if it is there\) was passed by: no such element/,
    );
  });

  it("says which states and preparations are meant for no page", async () => {
    const { notices } = await check(
      { "/": page("Home", menu) },
      {
        states: [
          { name: "menu-open", url: "/", steps: open },
          { name: "cart", url: "/cart/**", steps: open },
        ],
        prepare: [{ url: "/old/*", steps: open }],
      },
    );
    expect(notices).to.deep.equal(["steps_unused: /old/* of number 1 of prepare"]);
  });

  it("says what could not be done although no check needs a browser", async () => {
    const { notices } = await check(
      { "/": page("Home", menu) },
      {
        prepare: [{ steps: [{ type: "click", selector: "#gone", timeout: 300 }] }],
        waitFor: { text: "Late", seconds: 1 },
      },
      ["--dynamic"],
    );
    expect(notices[0]).to.match(/^not_ready: After 1 s, /);
    expect(notices[1]).to.match(/^not_prepared: Step 1 \(click #gone\) failed/);
    expect(notices).to.have.length(2);
  });

  it("judges the page to which a form that is sent empty leads", async () => {
    const form = (error = "") =>
      page(
        "Order",
        `${error}<form method="post" action="/"><label>Name <input name="name"></label><button>Send</button></form>`,
      );
    const routes: Routes = {
      "/": async (request, response) => {
        if (request.method !== "POST") return html(response, form());
        const name = new URLSearchParams(await bodyOf(request)).get("name");
        html(response, name ? page("Thanks", "") : form(picture("error")), name ? 200 : 422);
      },
    };
    const { found } = await check(routes, {
      states: [
        {
          name: "sent-empty",
          steps: [{ type: "click", selectors: ["button"], assertedEvents: [{ type: "navigation" }] }],
        },
      ],
    });
    expect(found).to.deep.equal({ "/#:~:state=sent-empty": ["image-alt"] });
  });

  it("closes what covers the pages first, waits for what comes late, and leaves out what is hidden", async () => {
    const consent = `<dialog id="consent">${picture("in-banner")}<button>Accept</button></dialog>
      <script>const d = document.querySelector("#consent"); d.showModal(); d.querySelector("button").onclick = () => d.remove();</script>`;
    const late = `<main></main><script>setTimeout(() => { document.querySelector("main").innerHTML = '<p class="ready">Ready</p>${picture("late")}'; }, 3500);</script>`;
    const chat = `<aside class="chat">${picture("in-chat")}</aside>`;
    const { found, notices } = await check(
      { "/": page("Shop", consent + late + chat) },
      {
        prepare: [{ steps: [{ type: "click", selectors: [["aria/Accept"]] }] }],
        waitFor: { selector: ".ready" },
        hide: [".chat"],
      },
    );
    expect(found).to.deep.equal({ "/": ["image-alt"] });
    expect(notices).to.deep.equal([]);
  });

  it("judges a page as it is where a step after another one cannot be done, also when that one has loaded it anew", async () => {
    const again = `${picture("own")}<button onclick="location.reload()">Accept</button>`;
    const { found, notices } = await check(
      { "/": page("Home", again) },
      {
        prepare: [
          {
            steps: [
              { type: "click", selectors: ["button"] },
              { type: "click", selectors: ["#next"], timeout: 300 },
            ],
          },
        ],
      },
    );
    expect(found).to.deep.equal({ "/": ["image-alt"] });
    expect(notices).to.have.length(1);
    expect(notices[0]).to.include("not_prepared: Step 2 (click #next) failed");
  });

  it("follows the links that steps bring, and takes no other page for the one that was asked for", async () => {
    const gate = `<button onclick="document.querySelector('nav').innerHTML = '<a href=/inside>In</a>'">I am old enough</button><nav></nav>`;
    const { found, report } = await check(
      {
        "/": page("Gate", `${gate}<a href="/leave">Leave</a>`),
        "/inside": page("In", picture("in")),
        "/leave": page("Leave", `<a id="on" href="/elsewhere">On</a>`),
        "/elsewhere": page("Elsewhere", `<link rel="canonical" href="/nowhere">${picture("elsewhere")}`),
      },
      {
        dynamic: true,
        prepare: [
          { url: "/", steps: [{ type: "click", selectors: ["button"] }] },
          { url: "/leave", steps: [{ type: "click", selectors: ["#on"], assertedEvents: [{ type: "navigation" }] }] },
        ],
      },
    );
    expect(report.num_pages).to.equal(4);
    expect(found).to.deep.equal({ "/inside": ["image-alt"], "/leave": ["image-alt"], "/elsewhere": ["image-alt"] });
  });

  it("says which pages were judged without what was waited for or done, and which states could not be reached", async () => {
    const { found, notices } = await check(
      { "/": page("Home", picture("own")) },
      {
        prepare: [{ steps: [{ type: "click", selectors: ["#consent"], timeout: 300 }] }],
        states: [{ name: "menu-open", steps: [{ type: "click", selectors: [["#menu"]], timeout: 300 }] }],
        waitFor: { text: "Welcome", seconds: 1 },
        hide: ["p:nonsense"],
      },
    );
    expect(found).to.deep.equal({ "/": ["image-alt"] });
    expect(notices).to.deep.equal(
      [
        "pages_failed: Step 1 (click #menu) failed: no such element was visible in ORIGIN/ within 0.3 s",
        'not_ready: After 1 s, the text "Welcome" was not shown.',
        "not_prepared: Step 1 (click #consent) failed: no such element was visible in ORIGIN/ within 0.3 s.",
        'not_hidden: "p:nonsense" is not a CSS selector.',
      ].map((text) => text.replace("ORIGIN", site?.origin ?? "")),
    );
  });
});
