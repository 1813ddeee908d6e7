import { expect } from "chai";
import { signIn } from "../../../src/browser/sign-in.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { Step } from "../../../src/schema/steps.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { createAuthority } from "../../support/certificates.ts";
import { type Route, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

describe("a sign-in types its password", function () {
  this.timeout(limitOf(40));
  const sites: Site[] = [];
  /** What was sent anywhere: each key, as it arrives. */
  let seen = "";
  const spy = `<input id="pw" autofocus oninput="navigator.sendBeacon('/seen', this.value)"><p>Hello</p>`;
  const serve = async (routes: Record<string, Route>, tls?: { cert: string; key: string }): Promise<Site> => {
    const site = await serveSite(
      {
        ...routes,
        "/seen": async (request, response) => {
          for await (const chunk of request) seen += String(chunk);
          response.end();
        },
      },
      "127.0.0.1",
      tls,
    );
    sites.push(site);
    return site;
  };
  const settings = {
    chromePath: undefined,
    log: createLogger("error", {}),
    policy: {
      ...addressPolicy(["127.0.0.0/8"]),
      tls: { authorities: [], clientCertificates: new Map(), insecureHosts: new Set(["127.0.0.1", "localhost"]) },
    },
  };
  const type: Step = { type: "change", selectors: ["#pw"], value: "hunter2" };
  const key: Step = { type: "keyDown", key: "h" };
  const outcome = (steps: Step[], more = {}) =>
    signIn(
      settings,
      { steps, signedInWhen: { text: "Hello" }, ...more },
      { limitMs: 60_000, signal: new AbortController().signal },
    ).then(
      () => "signed in",
      (error: Error) => error.message,
    );
  const asLocalhost = (site: Site) => site.origin.replace("127.0.0.1", "localhost");

  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
    seen = "";
  });

  it("not where a named host redirects to, by value or by key, until the user names that too", async () => {
    const stranger = await serve({ "/": spy });
    const site = await serve({ "/": { status: 302, headers: { location: asLocalhost(stranger) } } });
    const navigate: Step = { type: "navigate", url: site.url };
    for (const step of [type, key]) {
      const said = await outcome([navigate, step]);
      expect(said).to.contain(`nothing is typed on ${asLocalhost(stranger)}, because the sign-in does not name it`);
      expect(said)
        .to.contain(`add "origins": ["${asLocalhost(stranger)}"]`)
        .and.not.contain("hunter2");
    }
    expect(seen).to.equal("");
    expect(await outcome([navigate, type], { origins: [asLocalhost(stranger)] })).to.equal("signed in");
    expect(seen).to.contain("hunter2");
  });

  it("not in clear where an https site goes on by http, even if it is named", async () => {
    const plain = await serve({ "/": spy });
    const secure = await serve(
      { "/": { status: 302, headers: { location: plain.url } } },
      createAuthority().issue(["127.0.0.1"]),
    );
    const said = await outcome([{ type: "navigate", url: secure.url }, type], { origins: [plain.origin] });
    expect(said).to.contain(`nothing is typed on ${plain.origin}, which would send it in clear`);
    expect(seen).to.equal("");
  });

  it("not so that a form, or a redirect of one, sends it in clear once it began by https", async () => {
    const arrived: string[] = [];
    const plain = await serve({
      "/in": async (request, response) => {
        let body = request.url ?? "";
        for await (const chunk of request) body += String(chunk);
        arrived.push(body);
        response.end("<p>Hello</p>");
      },
    });
    const field = '<input id="pw" name="pw">';
    const to = `${plain.origin}/in`;
    const forms = {
      post: `<form method="post" action="${to}">${field}<button>Go</button></form>`,
      multipart: `<form method="post" action="${to}" enctype="multipart/form-data">${field}<button>Go</button></form>`,
      get: `<form action="${to}">${field}<button>Go</button></form>`,
      formaction: `<form method="post" action="/own">${field}<button formaction="${to}">Go</button></form>`,
      redirect: `<form method="post" action="/on">${field}<button>Go</button></form>`,
      script: `${field}<button onclick="location = '${to}?p=' + btoa(pw.value).replace(/=+$/, '') + pw.value">Go</button>`,
    };
    for (const [how, form] of Object.entries(forms)) {
      const secure = await serve(
        { "/": form, "/on": { status: 307, headers: { location: to } } },
        createAuthority().issue(["127.0.0.1"]),
      );
      const steps: Step[] = [{ type: "navigate", url: secure.url }, type, { type: "click", selectors: ["button"] }];
      expect(await outcome(steps, { origins: [plain.origin] }), how).to.contain(
        `what was typed is not sent to ${plain.origin}, where it would go in clear: the sign-in began by https`,
      );
    }
    expect(arrived).to.deep.equal([]);
  });

  it("not into a frame of another host, by value or by key, nor into what it turns into", async () => {
    const stranger = await serve({
      "/": spy,
      "/data": `<script>location = "data:text/html,<input id=pw autofocus>"</script>`,
      "/blank": `<script>location = "about:blank"</script>`,
    });
    for (const path of ["/", "/data", "/blank"]) {
      const site = await serve({ "/": `<p>Hello</p><iframe src="${asLocalhost(stranger)}${path}"></iframe>` });
      const navigate: Step = { type: "navigate", url: site.url };
      const selector = path === "/blank" ? "body" : "#pw";
      const inFrame: Step = { ...type, selectors: [selector], frame: [0] };
      expect(await outcome([navigate, inFrame]), path).to.match(/nothing is typed (?:on|into)/);
      const focus: Step = { type: "click", selectors: [selector], frame: [0], timeout: 3_000 };
      if (path !== "/blank")
        expect(await outcome([navigate, focus, key]), path).to.match(/nothing is typed (?:on|into)/);
    }
    expect(seen).to.equal("");
  });

  it("into its own frames, and those that its page writes", async () => {
    const site: Site = await serve({
      "/": `<p>Hello</p><iframe src="/inner"></iframe><iframe srcdoc="<input id=pw>"></iframe>`,
      "/inner": spy,
    });
    const navigate: Step = { type: "navigate", url: site.url };
    expect(await outcome([navigate, { ...type, frame: [0] }, { ...type, frame: [1] }])).to.equal("signed in");
  });
});
