import { expect } from "chai";
import { PageError } from "../../../src/domain/failure.ts";
import type { BrowserCookie } from "../../../src/domain/site/session.ts";
import { createSiteSession } from "../../../src/net/site-session.ts";

const SITE = "https://shop.example/";
const cookie = (value: string): BrowserCookie => ({
  ...{ name: "session", value, domain: "shop.example", path: "/", secure: true, httpOnly: true, expires: -1 },
});

describe("The session of a site", () => {
  it("takes what a visit was given, unless another visit was given something newer meanwhile", async () => {
    const session = createSiteSession(async () => ({ cookies: [cookie("1")] }));
    await session.ready();
    const [slow, fast] = [session.cookies(SITE), session.cookies(SITE)];
    session.keep(SITE, [cookie("3")], fast);
    session.keep(SITE, [cookie("2")], slow);
    expect(session.cookieHeader(SITE)).to.equal("session=3");
    session.receive(SITE, ["session=4; Path=/; Secure"]);
    expect(session.cookieHeader(SITE)).to.equal("session=4");
    session.keep(SITE, [cookie("5")], session.cookies(SITE));
    expect(session.cookieHeader(SITE)).to.equal("session=5");
  });

  it("is not put back by a visit that began before somebody signed in again", async () => {
    let signIns = 0;
    const session = createSiteSession(async () => ({ cookies: [cookie(`of sign-in ${++signIns}`)] }));
    await session.ready();
    const given = session.cookies(SITE);
    const outcomes = ["signed out", "in"];
    const work = async () => outcomes.shift();
    expect(await session.run(work, (outcome) => outcome === "signed out")).to.equal("in");
    session.keep(SITE, [cookie("old")], given);
    expect(session.cookieHeader(SITE)).to.equal("session=of sign-in 2");
  });

  it("is used once more as it is now, before somebody signs in again", async () => {
    let signIns = 0;
    const session = createSiteSession(async () => ({ cookies: [cookie(`of sign-in ${++signIns}`)] }));
    await session.ready();
    const sent: (string | undefined)[] = [];
    const outcome = await session.run(
      async () => {
        sent.push(session.cookieHeader(SITE));
        if (sent.length === 1) session.receive(SITE, ["session=renewed; Path=/; Secure"]);
        return sent.length === 1 ? "signed out" : "in";
      },
      (result) => result === "signed out",
    );
    expect({ outcome, sent, signIns }).to.deep.equal({
      outcome: "in",
      sent: ["session=of sign-in 1", "session=renewed"],
      signIns: 1,
    });
  });

  it("is begun again for what waits behind others that have used it up, and not without end for a page that always asks", async () => {
    let left = 0;
    let signIns = 0;
    const session = createSiteSession(async () => {
      signIns += 1;
      left = 9;
      return { cookies: [cookie(`of sign-in ${signIns}`)] };
    });
    await session.ready();
    const isOut = (result: string) => result === "signed out";
    const request = async () => (left-- > 0 ? "in" : "signed out");
    const all = await Promise.all(Array.from({ length: 30 }, () => session.run(request, isOut)));
    expect(all.filter(isOut)).to.deep.equal([]);
    expect(signIns).to.equal(4);

    let asked = 0;
    const always = async () => {
      asked += 1;
      return "signed out";
    };
    for (let page = 0; page < 10; page += 1) {
      left = Number.POSITIVE_INFINITY;
      await session.run(request, isOut);
      expect(await session.run(always, isOut)).to.equal("signed out");
    }
    expect(asked).to.be.below(20);
    expect(signIns).to.be.below(10);
  });

  it("is not tried again when nobody could sign in at the start", async () => {
    let tries = 0;
    const session = createSiteSession(async () => {
      tries += 1;
      throw new PageError("sign_in_failed", "Step 2 failed.");
    });
    for (let request = 0; request < 5; request += 1) expect(await session.ready().catch(String)).to.include("Step 2");
    expect(tries).to.equal(1);
  });
});
