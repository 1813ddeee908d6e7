import { expect } from "chai";
import { sql } from "kysely";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { type BrowserCookie, type SignedIn, SignInFailure } from "../../../src/domain/sign-in/session.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { createSessionStore } from "../../../src/transactions/site-session.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const cookie = (value: string): BrowserCookie => ({
  ...{ name: "session", value, domain: "shop.example", path: "/", secure: true, httpOnly: true, expires: -1 },
});
const signedIn = (value: string): SignedIn => ({
  cookies: [cookie(value)],
  storage: { origin: "https://shop.example", local: [["token", value]], session: [], databases: [] },
});

describe("the session of a report in the database", () => {
  let database: TestDatabase;
  let report: string;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    report = await insertReport(database.db);
  });

  const ended = new AbortController();
  const storeOf = (
    signIn: (signal: AbortSignal) => Promise<SignedIn>,
    { key = "key", program = "crawler", signal = ended.signal, maxTries = 3, pauseAfterMs = 0 } = {},
  ) =>
    createSessionStore({
      ...{ db: database.db, reportId: report, encryptor: createEncryptor(key), signIn, maxTries, program, signal },
      pauseAfterMs: () => pauseAfterMs,
      log: createLogger("error", {}),
    });
  const row = async () =>
    database.db.selectFrom("site_sessions").selectAll().where("report_id", "=", report).executeTakeFirst();
  /** As if the pauses were over. */
  const noPause = () => sql`update site_sessions set not_before = now()`.execute(database.db);

  it("is begun once for all that need it, and again by one of those who find it ended", async () => {
    let signIns = 0;
    const signIn = async () => signedIn(`secret ${++signIns}`);
    const programs = [storeOf(signIn), storeOf(signIn), storeOf(signIn), storeOf(signIn)];
    const first = await Promise.all(programs.map((store) => store.renew(0)));
    expect(first.map(({ generation, cookies }) => [generation, cookies[0]?.value])).to.deep.equal(
      first.map(() => [1, "secret 1"]),
    );
    const second = await Promise.all(programs.map((store) => store.renew(1)));
    expect([...new Set(second.map(({ cookies }) => cookies[0]?.value))]).to.deep.equal(["secret 2"]);
    expect(signIns).to.equal(2);
  });

  it("is kept encrypted, with what was renewed, for those who have the key alone", async () => {
    const store = storeOf(async () => signedIn("secret"));
    const begun = await store.renew(0);
    const { revision } = begun;
    expect(await store.read(revision)).to.equal(undefined);
    const renewed = { cookies: [cookie("renewed")], items: { local: [["token", "fresh"] as const], session: [] } };
    expect(await store.keep(begun, renewed)).to.equal(revision + 1);
    const late = { ...renewed, cookies: [cookie("of a long visit")] };
    expect(await store.keep(begun, late), "after others have renewed it").to.equal(undefined);
    expect(await store.keep({ ...begun, generation: 0 }, renewed), "of a session that has ended").to.equal(undefined);
    const other = storeOf(async () => signedIn("of another key"), { key: "another" });
    expect(await other.read(0)).to.equal(undefined);
    const read = await storeOf(async () => signedIn("")).read(revision);
    expect({ cookies: read?.cookies, local: read?.storage?.local }).to.deep.equal({
      cookies: [cookie("renewed")],
      local: [["token", "fresh"]],
    });
    const { rows } = await sql<{ text: string }>`select s::text as text from site_sessions s`.execute(database.db);
    for (const { text } of rows) {
      const bytes = [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = ""]) =>
        Buffer.from(hex, "hex").toString("latin1"),
      );
      for (const secret of ["secret", "renewed", "fresh", "token"])
        expect(text + bytes.join(), secret).not.to.include(secret);
    }
  });

  it("is deleted when its report ends", async () => {
    await storeOf(async () => signedIn("secret")).renew(0);
    expect(await row()).to.include({ generation: 1 });
    await sql`update reports set crawl_state = 'ended' where id = ${report}`.execute(database.db);
    expect(await endReport(database.db, report, "Complete", new Date())).to.equal(true);
    expect(await row()).to.equal(undefined);
  });

  it("is tried again after time-outs and the like, as often as the owner says, and the message says who tried", async () => {
    let tries = 0;
    const failing = async (): Promise<SignedIn> => {
      tries += 1;
      throw new SignInFailure("Step 2 failed: it took too long.", { mayPass: true });
    };
    const trying = storeOf(failing, { maxTries: 2 }).renew(0).catch(String);
    await eventually(() => tries === 1);
    const waiting = storeOf(failing, { maxTries: 2, program: "checker (a11y)" }).renew(0).catch(String);
    await eventually(async () => {
      await noPause();
      return tries === 2;
    });
    for (const message of [await trying, await waiting])
      expect(message).to.match(
        /Step 2 failed: it took too long\. This was try 2 of 2, by the (crawler|checker \(a11y\)) at \d\d:\d\d:\d\d UTC\. Nobody had signed in before\./,
      );
    expect(tries).to.equal(2);
  });

  it("succeeds after a failure without any of the pages that wait noticing", async () => {
    let tries = 0;
    const store = storeOf(async () => {
      tries += 1;
      if (tries < 3) throw new SignInFailure("503", { mayPass: true });
      return signedIn("secret");
    });
    const pages = Array.from({ length: 5 }, () => store.renew(0));
    await eventually(async () => {
      await noPause();
      return tries === 3;
    });
    for (const { generation } of await Promise.all(pages)) expect(generation).to.equal(1);
    expect(await row()).to.include({ tries: 0, failure: null });
  });

  it("is never tried again when the site has refused it, by no program", async () => {
    let tries = 0;
    const refused = async (): Promise<SignedIn> => {
      tries += 1;
      throw new SignInFailure("It still asks to sign in.", { mayPass: false });
    };
    const programs = Array.from({ length: 4 }, () => storeOf(refused, { maxTries: 10 }));
    const messages = await Promise.all(programs.map((store) => store.renew(0).catch(String)));
    await noPause();
    messages.push(await storeOf(refused, { maxTries: 10 }).renew(0).catch(String));
    for (const message of messages)
      expect(message).to.include("It still asks to sign in.").and.include("accounts get locked");
    expect(tries).to.equal(1);
  });

  it("of a program that was killed while it signed in is begun by another one, and never replaced by what that one stores late", async () => {
    const frozen = Promise.withResolvers<SignedIn>();
    const first = storeOf(() => frozen.promise);
    const late = first.renew(0);
    await eventually(async () => typeof (await row())?.holder === "string");
    // Its heartbeat stands still.
    await sql`update site_sessions set holder = gen_random_uuid(), held_until = now() - interval '1 s'`.execute(
      database.db,
    );
    const other = await storeOf(async () => signedIn("of the other")).renew(0);
    expect(other.cookies[0]?.value).to.equal("of the other");
    frozen.resolve(signedIn("too late"));
    expect((await late).cookies[0]?.value).to.equal("of the other");
    expect(await row()).to.include({ generation: 1, tries: 0 });
  });

  it("is not counted as a failure of the sign-in if the machine, or the end of the program, was the cause", async () => {
    const broken = storeOf(async () => {
      throw new BrokenEnvironmentError("no browser");
    });
    expect(await broken.renew(0).catch(String)).to.include("no browser");
    expect(await row()).to.include({ tries: 0, failure: null, holder: null });
  });

  it("is begun after the one before it by the time that a one-time code is taken once", async () => {
    let signIns = 0;
    const store = storeOf(async () => signedIn(`${++signIns}`), { pauseAfterMs: 60_000 });
    await store.renew(0);
    const next = store.renew(1);
    await eventually(async () => (await row())?.generation === 1);
    expect((await row())?.not_before.getTime()).to.be.above(Date.now() + 10_000);
    expect(signIns).to.equal(1);
    await noPause();
    expect((await next).generation).to.equal(2);
  });

  it("is used by who has begun it before others may, and what ends it is named in the report", async () => {
    const store = storeOf(async () => signedIn("first"));
    await store.renew(0);
    const begun = await store.renew(1, async (_signedIn, again) => {
      expect((await store.read(0))?.generation, "for others").to.equal(1);
      await again();
      return { signedIn: signedIn("tried"), endings: ["https://shop.example/x9"] };
    });
    expect(begun).to.include({ generation: 2 });
    expect(begun.endedBy).to.deep.equal(["https://shop.example/x9"]);
    const notices = await database.db.selectFrom("report_notices").select(["code", "url"]).execute();
    expect(notices).to.deep.include({ code: "ends_session", url: "https://shop.example/x9" });
  });
});
