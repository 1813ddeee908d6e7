import { expect } from "chai";
import { signIn } from "../../../src/browser/sign-in.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { readSignIn } from "../../../src/domain/site/read-sign-in.ts";
import type { SignedIn } from "../../../src/domain/site/session.ts";
import type { KeepPictures, SignInPicture } from "../../../src/domain/site/sign-in-picture.ts";
import { fromBase32, totpCode } from "../../../src/domain/site/totp.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { browserPids } from "../../support/browsers.ts";
import { bodyOf, html, PASSWORD, shop, shopSteps } from "../../support/members-sites.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const page = (body: string) => `<!DOCTYPE html><html lang="en"><title>Members</title>${body}</html>`;
const TOTP = "GEZDGNBVGY3TQOJQ";

describe("A sign-in", function () {
  this.timeout(limitOf(60));
  const sites: Site[] = [];
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
    expect(browserPids()).to.deep.equal([]);
  });
  const serve = async (routes: Routes, address?: string): Promise<Site> => {
    const site = await serveSite(routes, address);
    sites.push(site);
    return site;
  };
  const signInBy = async (given: unknown, pictures?: KeepPictures): Promise<SignedIn> => {
    const read = readSignIn(given);
    if ("faults" in read) throw new Error(read.faults.join());
    const settings = { chromePath: undefined, policy: addressPolicy(["127.0.0.0/8"]), log: createLogger("error", {}) };
    return signIn(settings, read.signIn, new AbortController().signal, pictures);
  };
  const failureOf = async (given: unknown): Promise<PageError["failure"]> => {
    const error = await signInBy(given).catch((reason: unknown) => reason);
    if (!(error instanceof PageError)) throw new Error(`it did not fail as expected: ${error}`);
    return error.failure;
  };

  it("keeps the cookies of a form with a token", async () => {
    const site = await serve(shop().routes);
    const { cookies } = await signInBy(shopSteps(site.origin));
    expect(cookies.map(({ name, domain, httpOnly }) => ({ name, domain, httpOnly }))).to.deep.equal([
      { name: "session", domain: "127.0.0.1", httpOnly: true },
    ]);
  });

  it("of two pages, with a one-time code, in a frame and a shadow root, is done step by step", async () => {
    const secret = fromBase32(TOTP);
    const site = await serve({
      "/login": page('<iframe title="Sign in" src="/user"></iframe>'),
      "/user": page(
        '<form action="/code" target="_top" method="get"><input id="user" name="user"><button>Next</button></form>',
      ),
      "/code": page(`<x-code></x-code><script>
        const root = document.querySelector("x-code").attachShadow({ mode: "open" });
        setTimeout(() => { root.innerHTML = '<form method="post" action="/done"><select name="how"><option value="a">App</option><option value="s">SMS</option></select><input type="password" name="code"><button>Go</button></form>'; }, 300);
      </script>`),
      "/done": async (request, response) => {
        const form = new URLSearchParams(await bodyOf(request));
        const isRight = secret && form.get("code") === `1-${totpCode(secret, new Date())}` && form.get("how") === "s";
        if (!isRight) return html(response, page("No"), 403);
        response.writeHead(200, { "content-type": "text/html", "set-cookie": "in=1" }).end(page("<p>Welcome</p>"));
      },
    });
    const { cookies } = await signInBy({
      steps: [
        { type: "navigate", url: `${site.origin}/login` },
        { type: "change", selectors: [["#nothing"], ["#user"]], frame: [0], value: "ada" },
        { type: "keyDown", key: "Enter", assertedEvents: [{ type: "navigation" }] },
        { type: "keyUp", key: "Enter" },
        { type: "change", selectors: [["x-code", "select"]], value: "s" },
        { type: "change", selectors: [["pierce/input"]], value: "1-$TOTP" },
        { type: "click", selectors: [["x-code", "button"]], assertedEvents: [{ type: "navigation" }] },
      ],
      signed_in_when: { text: "Welcome", cookie: "in" },
      totp: TOTP,
    });
    expect(cookies.map(({ name }) => name)).to.deep.equal(["in"]);
  });

  it("over another host, as single sign-on does it, ends with the cookies of both", async () => {
    const provider = await serve(
      {
        "/authorize": (request, response) => {
          const back = new URL(request.url ?? "", "http://x").searchParams.get("redirect_uri");
          html(
            response,
            page(
              `<form method="post" action="/in?back=${back}"><input name="user" id="user"><input type="password" id="password"><button>Sign in</button></form>`,
            ),
          );
        },
        "/in": (request, response) => {
          const back = new URL(request.url ?? "", "http://x").searchParams.get("back");
          response.writeHead(303, { location: `${back}?code=1`, "set-cookie": "sso=1" }).end();
        },
      },
      "127.0.0.2",
    );
    const site = await serve({
      "/": (request, response) => {
        const isIn = request.headers.cookie?.includes("member=1");
        if (isIn) return html(response, page("<p>Inside</p>"));
        const back = `http://${request.headers.host}/callback`;
        response.writeHead(302, { location: `${provider.origin}/authorize?redirect_uri=${back}` }).end();
      },
      "/callback": (_, response) => void response.writeHead(303, { location: "/", "set-cookie": "member=1" }).end(),
    });
    const { cookies } = await signInBy({
      steps: [
        { type: "navigate", url: site.url },
        { type: "change", selector: "#user", value: "ada" },
        { type: "change", selector: "#password", value: PASSWORD },
        { type: "click", selector: "button" },
      ],
      signed_in_when: { text: "Inside" },
    });
    expect(cookies.map(({ name, domain }) => `${name} ${domain}`)).to.have.members([
      "sso 127.0.0.2",
      "member 127.0.0.1",
    ]);
  });

  it("of an application keeps what its script has stored", async () => {
    const site = await serve({
      "/": page(`<main></main><script>
        const main = document.querySelector("main");
        if (localStorage.token) main.textContent = "Inside";
        else { main.innerHTML = "<button>Enter</button>"; main.firstChild.onclick = () => { localStorage.token = "t<1>"; location.reload(); }; }
      </script>`),
    });
    const { storage } = await signInBy({
      steps: [
        { type: "navigate", url: site.url },
        { type: "click", selector: "text/Enter" },
      ],
      signed_in_when: { text: "Inside" },
    });
    expect(storage).to.deep.equal({ origin: site.origin, items: [["token", "t<1>"]] });
  });

  it("that fails names the step and why, without values, and leaves no browser", async () => {
    const site = await serve(shop().routes);
    const [open, ...rest] = shopSteps(site.origin, "s3cret");
    const cases: [steps: object[], text: RegExp][] = [
      [[{ type: "navigate", url: "http://127.0.0.1:1/" }], /^Step 1 \(open http:\/\/127\.0\.0\.1:1\/\) failed: /],
      [
        [open as object, { type: "click", selector: "#none", timeout: 300 }],
        /^Step 2 \(click #none\) failed: no such element was visible/,
      ],
      [[open as object, { type: "click", selector: "#[", timeout: 300 }], /^Step 2 .*"#\[" is not a selector/],
      [[open as object, ...rest], /^All steps were done, but .*\/login still asks to sign in\.$/],
    ];
    for (const [steps, text] of cases) {
      const { code, detail } = await failureOf(steps);
      expect(code).to.equal("sign_in_failed");
      expect(detail).to.match(text).and.not.to.include("s3cret");
    }
  });

  it("that fails leaves a picture in which nothing is what was typed", async () => {
    let answer = "";
    const site = await serve({
      "/": page(
        '<form method="post" action="/in"><input name="user"><input name="password"><button>Go</button></form>',
      ),
      "/in": async (request, response) => {
        const [user = "", password = ""] = [...new URLSearchParams(await bodyOf(request)).values()];
        html(
          response,
          page(`<p>${answer}: ${user} does not exist</p><input value="${password}"><textarea>${user}</textarea>
            <p title="${user}"></p><style>[title]::after { content: attr(title) }</style>
            <div id="host"></div><script>host.attachShadow({ mode: "open" }).innerHTML = "<p>${user}</p>"</script>
            <iframe srcdoc="<p>${password}</p>"></iframe><select><option>${user}</option></select>`),
        );
      },
    });
    const pictureWith = async (user: string, password: string): Promise<Buffer> => {
      const kept: SignInPicture[] = [];
      const error = await signInBy(
        [
          { type: "navigate", url: site.url },
          { type: "change", selector: "[name=user]", value: user },
          { type: "change", selector: "[name=password]", value: password },
          { type: "click", selector: "button", assertedEvents: [{ type: "navigation" }] },
          { type: "click", selector: "#none", timeout: 300 },
        ],
        { keep: async (picture) => void kept.push(picture), ofEachStep: false },
      ).catch((reason: unknown) => reason);
      expect(error).to.have.property("code", "sign_in_failed");
      expect(kept).to.have.length(1);
      expect(kept[0]).to.include({ step: 5, action: "click #none", failed: true });
      return kept[0]?.png as Buffer;
    };
    answer = "No";
    const picture = await pictureWith("ada", "s3cret");
    expect(picture.subarray(1, 4).toString()).to.equal("PNG");
    expect(picture.equals(await pictureWith("somebody.else@example.org", "another, longer password"))).to.equal(true);
    answer = "Never";
    expect(picture.equals(await pictureWith("ada", "s3cret"))).to.equal(false);
  });

  it("keeps a picture after each step, on which fields are empty, and goes on as if there were none", async () => {
    const received: string[] = [];
    const site = await serve({
      "/": page(`<form method="post" action="/done"><p id="greeting" title="Hello">Hello</p>
        <input name="user" placeholder="Name" style="color: green;"><input name="password" type="password"><input name="code">
        <div contenteditable id="note"></div><x-copy></x-copy><button>Go</button></form><script>
          const copy = document.querySelector("x-copy").attachShadow({ mode: "open" });
          const [user] = document.forms[0].elements;
          let blurred = 0;
          note.addEventListener("blur", () => { blurred += 1; });
          user.addEventListener("input", () => {
            greeting.textContent = greeting.title = "Hello " + user.value;
            copy.textContent = user.value;
          });
          document.forms[0].addEventListener("submit", () => {
            const seen = [greeting.textContent, greeting.title, copy.textContent, note.textContent, blurred];
            const { style, placeholder } = user;
            document.forms[0].code.value = JSON.stringify([...seen, user.getAttribute("style"), placeholder]);
          });
        </script>`),
      "/done": async (request, response) => {
        received.push(await bodyOf(request));
        html(response, page("<h1>Signed in</h1>"));
      },
    });
    const picturesWith = async (user: string, password: string): Promise<SignInPicture[]> => {
      const kept: SignInPicture[] = [];
      const steps = [
        { type: "navigate", url: site.url },
        { type: "change", selector: "[name=user]", value: user },
        { type: "change", selector: "[name=password]", value: password },
        { type: "click", selector: "#note" },
        { type: "keyDown", key: "x" },
        { type: "keyUp", key: "x" },
        { type: "click", selector: "button", assertedEvents: [{ type: "navigation" }] },
      ];
      await signInBy(steps, { keep: async (picture) => void kept.push(picture), ofEachStep: true });
      return kept;
    };
    const pictures = await picturesWith("ada", "s3cret");
    expect(pictures.map(({ step, action, failed }) => [step, action, failed])).to.deep.equal([
      [1, `open ${site.url}`, false],
      [2, "fill in [name=user]", false],
      [3, "fill in [name=password]", false],
      [4, "click #note", false],
      [5, "press a key", false],
      [6, "release a key", false],
      [7, "click button", false],
    ]);
    const form = new URLSearchParams(received[0]);
    expect([form.get("user"), form.get("password")]).to.deep.equal(["ada", "s3cret"]);
    const hello = "Hello ada";
    // The focus left the note once: for the button.
    expect(JSON.parse(form.get("code") ?? "")).to.deep.equal([hello, hello, "ada", "x", 1, "color: green;", "Name"]);
    const others = await picturesWith("somebody.else@example.org", "another, longer password");
    const differ = others.filter(({ png }, index) => !png.equals(pictures[index]?.png ?? Buffer.alloc(0)));
    expect(differ.map(({ step }) => step)).to.deep.equal([]);
    expect(new Set(pictures.map(({ png }) => png.toString("base64"))).size).to.be.greaterThan(2);
  });

  it("keeps no picture of a page that shows again and again what was typed", async () => {
    const site = await serve({
      "/": page(`<input name="user"><p id="copy"></p><script>
        setInterval(() => { copy.textContent = document.querySelector("input").value || window.last || ""; window.last ||= document.querySelector("input").value; }, 1);
      </script>`),
    });
    const kept: SignInPicture[] = [];
    const steps = [
      { type: "navigate", url: site.url },
      { type: "change", selector: "[name=user]", value: "ada" },
    ];
    await signInBy(steps, { keep: async (picture) => void kept.push(picture), ofEachStep: true });
    expect(kept.map(({ step }) => step)).to.deep.equal([1]);
  });

  it("cannot leave the addresses that the report may visit, or read files", async () => {
    const inside = await serve({ "/": page("secret") }, "127.0.0.9");
    const read = readSignIn([{ type: "navigate", url: inside.url }]);
    if ("faults" in read) throw new Error();
    const settings = { chromePath: undefined, policy: addressPolicy(["127.0.0.1/32"]), log: createLogger("error", {}) };
    const error = await signIn(settings, read.signIn, new AbortController().signal).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(PageError);
    expect(inside.requests).to.deep.equal([]);
  });
});
