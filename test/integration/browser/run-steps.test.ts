import { expect } from "chai";
import { signIn } from "../../../src/browser/sign-in.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { readSignIn } from "../../../src/domain/sign-in/read-sign-in.ts";
import type { SignedIn } from "../../../src/domain/sign-in/session.ts";
import type { KeepPictures, SignInPicture } from "../../../src/domain/sign-in/sign-in-picture.ts";
import { fromBase32, totpCode } from "../../../src/domain/sign-in/totp.ts";
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
    return signIn(settings, read.signIn, { limitMs: 120_000, signal: new AbortController().signal, pictures });
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
        // A code may come in the next 30 seconds after those in which it was typed (RFC 6238, section 5.2).
        const codes = [0, 30_000].map((ms) => secret && `1-${totpCode(secret, new Date(Date.now() - ms))}`);
        if (!codes.includes(form.get("code") ?? "") || form.get("how") !== "s") return html(response, page("No"), 403);
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
      origins: [provider.origin],
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
    const others = { session: [], databases: [] };
    expect(storage).to.deep.equal({ origin: site.origin, local: [["token", "t<1>"]], ...others });
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
          page(`<style>* { font-family: monospace }</style><p>${answer}: ${user} does not exist</p><input value="${password}"><textarea>${user}</textarea>
            <p title="${user}"></p><style>[title]::after { content: attr(title) }</style>
            <div id="host"></div><script>host.attachShadow({ mode: "open" }).innerHTML = "<p>${user}</p>"</script>
            <iframe srcdoc="<p style='font-family: monospace'>${password}</p>"></iframe><select><option>${user}</option></select>`),
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
        { keep: async (pictures) => void kept.push(...pictures), ofEachStep: false },
      ).catch((reason: unknown) => reason);
      expect(error).to.have.property("code", "sign_in_failed");
      expect(kept).to.have.length(1);
      expect(kept[0]).to.include({ step: 5, action: "click #none", failed: true });
      return kept[0]?.png as Buffer;
    };
    answer = "No";
    const picture = await pictureWith("ada", "s3cret");
    expect(picture.subarray(1, 4).toString()).to.equal("PNG");
    // Texts that are painted over are as long as they are: these values are.
    expect(picture.equals(await pictureWith("eve", "m1necr"))).to.equal(true);
    answer = "Never";
    expect(picture.equals(await pictureWith("ada", "s3cret"))).to.equal(false);
  });

  const bothWith = async (steps: readonly object[], signedInWhen?: object) => {
    const kept: SignInPicture[] = [];
    const given = { steps, ...(signedInWhen && { signed_in_when: signedInWhen }) };
    await signInBy(given, { keep: async (pictures) => void kept.push(...pictures), ofEachStep: true });
    return kept;
  };
  /** A form that tells the site what its script has seen. */
  const watched = (received: string[], content: string): Routes => ({
    "/": page(
      `<form method="post" action="/done">${content}<input type="hidden" name="seen"><button>Go</button></form>`,
    ),
    "/done": async (request, response) => {
      received.push(await bodyOf(request));
      html(response, page("<h1>Signed in</h1>"));
    },
  });
  const go = { type: "click", selector: "button", assertedEvents: [{ type: "navigation" }] };

  it("keeps a picture after each step, in which nothing is what was typed", async () => {
    const received: string[] = [];
    const site = await serve(
      watched(
        received,
        `<style>* { transition: all 10s; font-family: monospace } select { text-shadow: 0 0 1px red } #user { opacity: 1 !important }
          x-copy::part(title) { color: black } [data-user]::after { color: black }</style>
        <p id="greeting" style="color: black !important">Hello</p><x-copy></x-copy><canvas id="drawn" width="300"></canvas>
        <select name="who"><option value="--">Nobody<option>ada<option>somebody.else@example.org</select>
        <input id="user" name="user" placeholder="Name"><input name="password" type="password"><div contenteditable id="note"></div>
        <iframe id="inner" srcdoc="<p style='font-family: monospace'></p>"></iframe><script>
          const copy = document.querySelector("x-copy").attachShadow({ mode: "open" });
          user.addEventListener("input", () => {
            greeting.textContent = "Hello " + user.value;
            copy.textContent = user.value;
            inner.contentDocument.querySelector("p").textContent = user.value;
            const context = drawn.getContext("2d");
            context.clearRect(0, 0, 300, 150);
            context.fillText(user.value, 10, 10);
          });
        </script>`,
      ),
    );
    const picturesWith = (user: string, password: string) =>
      bothWith([
        { type: "navigate", url: site.url },
        { type: "change", selector: "#user", value: user },
        { type: "change", selector: "[name=password]", value: password },
        { type: "change", selector: "[name=who]", value: user },
        { type: "click", selector: "#note" },
        ...[...password.slice(0, 4)].flatMap((key) => [
          { type: "keyDown", key },
          { type: "keyUp", key },
        ]),
        go,
      ]);
    const pictures = await picturesWith("ada", "4711 s3cret");
    expect(pictures.map(({ step, action }) => `${step} ${action}`)).to.include.members([
      `1 open ${site.url}`,
      "2 fill in #user",
      "5 click #note",
      "6 press a key",
      "14 click button",
    ]);
    expect(pictures).to.have.length(14);
    const form = new URLSearchParams(received[0]);
    expect([form.get("user"), form.get("password"), form.get("who")]).to.deep.equal(["ada", "4711 s3cret", "ada"]);
    // Texts that are painted over are as long as they are: these values are.
    const others = await picturesWith("eve", "9876 m1necr");
    const differ = others.filter(({ png }, index) => !png.equals(pictures[index]?.png ?? Buffer.alloc(0)));
    expect(differ.map(({ step }) => step)).to.deep.equal([]);
    expect(new Set(pictures.map(({ png }) => png.toString("base64"))).size).to.be.greaterThan(1);
  });

  it("goes on after a picture as if there had been none: values, selection, focus, frames, and what scripts watch", async () => {
    const received: string[] = [];
    const site = await serve({
      ...watched(
        received,
        `<input id="user" name="user" style="color: green;"><input id="token" name="token" value="old" type="hidden">
        <p id="greeting" title="Hello">Hello</p><div contenteditable id="note">note</div>
        <iframe src="/frame?hint=admin"></iframe><script>
          let changes = 0, blurred = 0, left = 0;
          new MutationObserver((records) => { changes += records.length; }).observe(document.body, {
            subtree: true, childList: true, attributes: true, characterData: true });
          note.addEventListener("blur", () => { blurred += 1; });
          user.addEventListener("input", () => { greeting.textContent = "Hello " + user.value; });
          document.forms[0].addEventListener("submit", () => {
            token.setAttribute("value", "new");
            const { seen } = document.forms[0];
            seen.value = JSON.stringify([changes, blurred, user.getAttribute("style"), document.adoptedStyleSheets.length, CSS.highlights.size]);
          });
        </script>`,
      ),
      "/frame": page("<p>admin</p>"),
    });
    const steps = [
      { type: "navigate", url: site.url },
      { type: "change", selector: "#user", value: "admin" },
      { type: "keyDown", key: "Control" },
      { type: "keyDown", key: "a" },
      { type: "keyUp", key: "a" },
      { type: "keyUp", key: "Control" },
      { type: "keyDown", key: "b" },
      { type: "keyUp", key: "b" },
      { type: "click", selector: "#note" },
      go,
    ];
    await signInBy(steps);
    const kept = await bothWith(steps);
    expect(kept).to.have.length(steps.length);
    const [without, withPictures] = received.map((body) => Object.fromEntries(new URLSearchParams(body)));
    expect(withPictures).to.deep.equal(without);
    expect(withPictures).to.include({ user: "b", token: "new" });
    expect(site.requests.filter(({ path }) => path.startsWith("/frame"))).to.have.length(2);
  });

  const pictureOfRepeated = async (script: string, value: string): Promise<Buffer | undefined> => {
    const content = `<style>[data-user]::after { content: attr(data-user) }</style><input id="user" name="user"><p id="copy"></p>`;
    const site = await serve({ "/": page(`${content}<script>${script}</script>`) });
    const kept = await bothWith([
      { type: "navigate", url: site.url },
      { type: "change", selector: "#user", value },
    ]);
    return kept.find(({ step }) => step === 2)?.png;
  };

  for (const [what, script] of Object.entries({
    "shows again and again what was typed":
      "setInterval(() => { copy.textContent = user.value + ' at ' + performance.now(); }, 1);",
    "opens frames with it": `setInterval(() => { const frame = document.createElement("iframe"); frame.srcdoc = user.value; copy.append(frame); }, 1);`,
    "has it in a closed shadow root":
      'const root = copy.appendChild(document.createElement("div")).attachShadow({ mode: "closed" }); user.oninput = () => { root.textContent = user.value; };',
  }))
    it(`keeps no picture of a page that ${what}`, async () => {
      expect(await pictureOfRepeated(script, "ada")).to.equal(undefined);
    });

  for (const [what, script] of Object.entries({
    "has it as the shape of a background":
      'user.oninput = () => { copy.textContent = user.value; copy.style = "background: linear-gradient(red, blue) text"; };',
    "has it in a style sheet's text": "user.oninput = () => { copy.dataset.user = user.value; };",
    "draws it as an image": `user.oninput = () => { copy.innerHTML = "<svg><text y=20></text></svg>"; copy.querySelector("text").textContent = user.value; };`,
  }))
    it(`does not show what was typed where a page ${what}`, async () => {
      const picture = await pictureOfRepeated(script, "ada");
      expect(picture?.equals((await pictureOfRepeated(script, "eve, who is not Ada")) ?? Buffer.alloc(0))).to.equal(
        true,
      );
    });

  it("cannot leave the addresses that the report may visit, or read files", async () => {
    const inside = await serve({ "/": page("secret") }, "127.0.0.9");
    const read = readSignIn([{ type: "navigate", url: inside.url }]);
    if ("faults" in read) throw new Error();
    const settings = { chromePath: undefined, policy: addressPolicy(["127.0.0.1/32"]), log: createLogger("error", {}) };
    const error = await signIn(settings, read.signIn, { limitMs: 120_000, signal: new AbortController().signal }).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(PageError);
    expect(inside.requests).to.deep.equal([]);
  });
});
