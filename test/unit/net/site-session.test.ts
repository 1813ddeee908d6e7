import { expect } from "chai";
import { PageError } from "../../../src/domain/failure.ts";
import {
  type BrowserCookie,
  changeSince,
  type SessionStore,
  type SignedIn,
  type SiteSession,
  type StoredSession,
  sizeOf,
  withChange,
} from "../../../src/domain/sign-in/session.ts";
import { createSiteSession } from "../../../src/net/site-session.ts";

const SITE = "https://shop.example/";
const cookie = (value: string): BrowserCookie => ({
  ...{ name: "session", value, domain: "shop.example", path: "/", secure: true, httpOnly: true, expires: -1 },
});

/** What the programs of a report share, without a database. */
function storeOf(signIn: () => Promise<SignedIn>): SessionStore & { endings: string[] } {
  let stored: StoredSession | undefined;
  const endings: string[] = [];
  return {
    endings,
    read: async (known) => (stored?.revision === known ? undefined : stored),
    renew: async (ended, tryOut = async (signedIn) => ({ signedIn, endings: [] })) => {
      if (stored && stored.generation > ended) return stored;
      const begun = await tryOut(await signIn(), signIn);
      endings.push(...begun.endings);
      const { generation = 0, revision = 0 } = stored ?? {};
      stored = { ...begun.signedIn, generation: generation + 1, revision: revision + 1, endedBy: endings };
      return stored;
    },
    keep: async (known, change) => {
      if (stored?.generation !== known.generation) return undefined;
      const taken = changeSince(known, stored, change);
      if (sizeOf(taken) === 0) return undefined;
      stored = { ...withChange(stored, taken), revision: stored.revision + 1 };
      return sizeOf(taken) === sizeOf(change) ? stored.revision : undefined;
    },
  };
}

const sessionOf = (store: SessionStore, asksStrangers: (url: string) => Promise<boolean> = async () => false) =>
  createSiteSession(store, { covers: (url) => url.startsWith(SITE), mayRepeat: () => true, asksStrangers });

/** A site whose pages ask to sign in without a session; how a visit ends it is given. */
function siteWith(visited: (path: string, count: number) => void = () => {}) {
  const site = { signIns: 0, isAlive: false, requests: 0, seen: [] as string[] };
  const signIn = async () => {
    site.signIns += 1;
    Object.assign(site, { isAlive: true, requests: 0 });
    return { cookies: [cookie(`of sign-in ${site.signIns}`)] };
  };
  const asks = async (url: string) => {
    const path = new URL(url).pathname;
    site.seen.push(path);
    await new Promise(setImmediate);
    site.requests += 1;
    const asked = !site.isAlive;
    visited(path, site.requests);
    return asked || path === "/always";
  };
  return { site, signIn, asks };
}

describe("The session of a site", () => {
  it("takes what a visit was given, unless another visit was given something newer meanwhile", async () => {
    const session = sessionOf(storeOf(async () => ({ cookies: [cookie("1")] })));
    await session.ready();
    const given = () => ({ cookies: session.cookies(SITE) });
    const [slow, fast] = [given(), given()];
    session.keep(SITE, { cookies: [cookie("3")] }, fast);
    session.keep(SITE, { cookies: [cookie("2")] }, slow);
    expect(session.cookieHeader(SITE)).to.equal("session=3");
    session.receive(SITE, ["session=4; Path=/; Secure"]);
    expect(session.cookieHeader(SITE)).to.equal("session=4");
    session.keep(SITE, { cookies: [cookie("5")] }, given());
    expect(session.cookieHeader(SITE)).to.equal("session=5");
  });

  it("is the same for two programs, with what each of them has renewed", async () => {
    let signIns = 0;
    const store = storeOf(async () => ({
      cookies: [cookie(`of sign-in ${++signIns}`)],
      storage: { origin: "https://shop.example", local: [["token", "1"]], session: [], databases: [] },
    }));
    const [one, other] = [sessionOf(store), sessionOf(store)];
    await Promise.all([one.ready(), one.ready()]);
    await other.ready();
    expect({ signIns, sent: other.cookieHeader(SITE) }).to.deep.equal({ signIns: 1, sent: "session=of sign-in 1" });
    one.receive(SITE, ["session=renewed; Path=/; Secure", "more=1; Path=/"]);
    await one.ready();
    const { storage } = { storage: one.storage() };
    const now = storage && { ...storage, local: [["token", "2"] as const, ["counter", "9"] as const] };
    one.keep(SITE, { cookies: one.cookies(SITE), storage: now }, { cookies: one.cookies(SITE), storage });
    await one.close();
    await other.ready();
    expect(other.cookieHeader(SITE)).to.equal("session=renewed; more=1");
    expect(other.storage()?.local, "what else a page stores is not of the session").to.deep.equal([["token", "2"]]);
  });

  it("is not given an old name by a long visit, while other programs were given newer ones", async () => {
    const store = storeOf(async () => ({
      cookies: [cookie("name 0")],
      storage: { origin: "https://shop.example", local: [["token", "0"]], session: [], databases: [] },
    }));
    const [slow, fast] = [sessionOf(store), sessionOf(store)];
    /** A visit that is given a name at once, and takes its time. */
    const visit = (session: SiteSession, name: string, meanwhile = async () => {}) =>
      session.run(SITE, {
        visit: async () => {
          const storage = session.storage();
          session.receive(SITE, [`session=${name}; Path=/; Secure`]);
          await meanwhile();
          const now = storage && { ...storage, local: [["token", name] as const] };
          session.keep(SITE, { cookies: [], storage: now }, { cookies: [], storage });
        },
        look: async () => false,
      });
    await visit(slow, "of the slow one", async () => {
      for (let n = 1; n <= 30; n += 1) await visit(fast, `name ${n}`);
      await fast.close();
      // Another page of the same program has read what is new.
      await visit(slow, "name 31");
    });
    await slow.close();
    await fast.ready();
    expect({ sent: fast.cookieHeader(SITE), token: fast.storage()?.local[0]?.[1] }).to.deep.equal({
      sent: "session=name 31",
      token: "name 31",
    });
  });

  it("keeps nothing of a page that asked to sign in, nor what it takes away", async () => {
    const store = storeOf(async () => ({ cookies: [cookie("good")] }));
    const [session, other] = [sessionOf(store, async () => true), sessionOf(store)];
    const look = async () => false;
    await session.run(SITE, { visit: async () => "fine", look });
    const visit = async () => {
      session.receive(SITE, ["session=; Path=/; Secure; Max-Age=0"]);
      expect(session.cookieHeader(SITE)).to.equal("session=good");
      session.receive(SITE, ["session=of a stranger; Path=/; Secure"]);
      return "asks";
    };
    expect(await session.run(`${SITE}late`, { visit, isSignedOut: () => true, look })).to.equal("asks");
    await other.ready();
    expect([session.cookieHeader(SITE), other.cookieHeader(SITE)]).to.deep.equal(["session=good", "session=good"]);
  });

  it("is used once more as it is now, before somebody signs in again", async () => {
    let signIns = 0;
    const store = storeOf(async () => ({ cookies: [cookie(`of sign-in ${++signIns}`)] }));
    const [session, other] = [sessionOf(store), sessionOf(store)];
    const sent: (string | undefined)[] = [];
    await other.ready();
    const outcome = await session.run(SITE, {
      visit: async () => {
        sent.push(session.cookieHeader(SITE));
        if (sent.length > 1) return "in";
        // Another program has been given a new one meanwhile.
        other.receive(SITE, ["session=renewed; Path=/; Secure"]);
        await other.close();
        return "signed out";
      },
      isSignedOut: (result) => result === "signed out",
      look: async () => true,
    });
    expect({ outcome, sent, signIns }).to.deep.equal({
      outcome: "in",
      sent: ["session=of sign-in 1", "session=renewed"],
      signIns: 1,
    });
  });

  it("is not taken for ended while another program has a newer name that it has not stored yet", async () => {
    let signIns = 0;
    const store = storeOf(async () => ({ cookies: [cookie(`name ${++signIns}`)] }));
    let name = "name 1";
    const sleeps: number[] = [];
    const session = createSiteSession(store, {
      ...{ covers: () => true, mayRepeat: () => true, asksStrangers: async () => true },
      // Meanwhile the other program stores the name.
      sleep: async (ms) => {
        sleeps.push(ms);
        const known = await store.read(0);
        if (known) await store.keep(known, { cookies: [cookie(name)], items: { local: [], session: [] } });
      },
    });
    const asks = async () => session.cookieHeader(SITE) !== `session=${name}`;
    const visit = () => session.run(SITE, { visit: asks, isSignedOut: (asked) => asked, look: asks });
    expect(await visit()).to.equal(false);
    // Names are renewed at this site.
    session.receive(SITE, ["session=name 2; Path=/; Secure"]);
    name = "name 2";
    expect(await visit()).to.equal(false);
    expect(sleeps).to.deep.equal([]);
    name = "name 30";
    expect(await visit()).to.equal(false);
    expect(sleeps).to.have.length(1);
    expect(signIns).to.equal(1);
  });

  it("is begun again for what waits behind others that have used it up", async () => {
    const { site, signIn, asks } = siteWith((_path, count) => {
      if (count >= 9) site.isAlive = false;
    });
    const session = sessionOf(storeOf(signIn), async () => true);
    const visit = (url: string) =>
      session.run(url, { visit: () => asks(url), isSignedOut: (asked) => asked, look: asks });
    const all = await Promise.all(Array.from({ length: 30 }, (_, page) => visit(`${SITE}p/${page}`)));
    expect(all.filter(Boolean)).to.deep.equal([]);
  });

  it("is not begun again for a page that always asks", async () => {
    const { site, signIn, asks } = siteWith();
    const session = sessionOf(storeOf(signIn), async () => true);
    const visit = (url: string) =>
      session.run(url, { visit: () => asks(url), isSignedOut: (asked) => asked, look: asks });
    expect(await visit(SITE)).to.equal(false);
    for (let page = 0; page < 5; page += 1) expect(await visit(`${SITE}always`)).to.equal(true);
    expect(site.signIns).to.equal(1);
  });

  it("has no page that ends it, if it ends by itself", async () => {
    const { site, signIn, asks } = siteWith((_path, count) => {
      if (count >= 6) site.isAlive = false;
    });
    const store = storeOf(signIn);
    const session = sessionOf(store, async () => true);
    for (let page = 0; page < 40; page += 1) {
      const url = `${SITE}p/${page}`;
      expect(await session.run(url, { visit: () => asks(url), isSignedOut: (asked) => asked, look: asks })).to.equal(
        false,
      );
    }
    expect(store.endings).to.deep.equal([]);
  });

  for (const kind of ["that asks to sign in then", "that says good-bye"])
    it(`is not ended again by a page ${kind}, which is found among those that were visited`, async () => {
      const { site, signIn, asks } = siteWith((path) => {
        if (path === "/x9") site.isAlive = false;
      });
      const store = storeOf(signIn);
      const session = sessionOf(store, async () => true);
      const visit = async (url: string) => {
        const visiting = async () => (await asks(url)) || (kind.includes("asks") && url.endsWith("/x9"));
        return session.run(url, { visit: visiting, isSignedOut: (asked) => asked, look: asks }).catch(String);
      };
      const pages = Array.from({ length: 30 }, (_, page) => `${SITE}${page === 13 ? "x9" : `p/${page}`}`);
      // As a crawler does, eight at a time; then another program.
      const all = new Map<string, unknown>();
      const crawl = async (todo: string[]) => {
        for (let url = todo.shift(); url; url = todo.shift()) all.set(url, await visit(url));
      };
      for (const rest of [[...pages], [...pages]]) await Promise.all(Array.from({ length: 8 }, () => crawl(rest)));
      expect(store.endings).to.deep.equal([`${SITE}x9`]);
      expect([...all].filter(([url, result]) => result !== false && !url.endsWith("/x9"))).to.deep.equal([]);
      expect(all.get(`${SITE}x9`)).to.include("ends the session");
      expect(site.signIns).to.be.below(7);
    });

  it("is not tried for other hosts, and its failure is that of each page", async () => {
    let tries = 0;
    const session = sessionOf(
      storeOf(async () => {
        tries += 1;
        throw new PageError("sign_in_failed", "Step 2 failed.");
      }),
    );
    const given = { visit: async () => "fine", look: async () => false };
    expect(await session.run("https://other.example/", given)).to.equal("fine");
    expect(tries).to.equal(0);
    expect(await session.run(SITE, given).catch(String)).to.include("Step 2");
  });
});
