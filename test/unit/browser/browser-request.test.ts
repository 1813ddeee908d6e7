import { expect } from "chai";
import { chromiumArguments } from "../../../src/browser/arguments.ts";
import { readRequest } from "../../../src/browser/browser-request.ts";

describe("what a client asks of a browser's endpoint", () => {
  const request = { proxyPort: 8080, sandbox: true };

  it("is a port and a sandbox, perhaps a user agent, and nothing else", () => {
    const args = (wanted: object) => chromiumArguments(readRequest(JSON.stringify(wanted)));
    expect(args(request)).to.include("--proxy-server=http://127.0.0.1:8080");
    expect(args(request).join(" ")).not.to.match(/--user-agent|EnablePortBoundCookies|autoplay|undefined|spki/);
    const acceptedKey = `${"a".repeat(43)}=`;
    expect(args({ ...request, acceptedKey })).to.include(`--ignore-certificate-errors-spki-list=${acceptedKey}`);
    const named = args({
      ...request,
      userAgent: "MyBot/1.0 --no-sandbox",
      portBoundCookies: true,
      playsSound: true,
      "no-sandbox": true,
    });
    expect(named).to.include.members([
      "--user-agent=MyBot/1.0 --no-sandbox",
      "--enable-features=EnablePortBoundCookies",
      "--autoplay-policy=no-user-gesture-required",
    ]);
    expect(named).not.to.include("--no-sandbox");
  });

  for (const wrong of [
    {},
    { ...request, proxyPort: "8080" },
    { ...request, proxyPort: 65_536 },
    { ...request, sandbox: "yes" },
    { ...request, userAgent: ["a"] },
    { ...request, userAgent: "a\n--no-sandbox" },
    { ...request, userAgent: "a".repeat(1_000) },
    { ...request, acceptedKey: `${"a".repeat(43)}=,${"b".repeat(43)}=` },
  ])
    it(`is refused if it is wrong: ${JSON.stringify(wrong).slice(0, 60)}`, () => {
      expect(() => readRequest(JSON.stringify(wrong))).to.throw("the request must be");
    });
});
