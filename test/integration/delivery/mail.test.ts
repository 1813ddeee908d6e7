import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { type Checker, createChecker } from "html-conformance";
import { SMTPServer } from "smtp-server";
import { grammarsOf } from "../../../src/checker/engines/grammar-store.ts";
import { cacheFolder } from "../../../src/config.ts";
import { findReceiver, insertReceiver } from "../../../src/database/receivers/receivers.ts";
import { sendMail, sendOne } from "../../../src/delivery/send-mail.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { escaped } from "../../../src/domain/escaped-html.ts";
import type { Event } from "../../../src/domain/notifications/events.ts";
import { mailOf } from "../../../src/domain/notifications/mail.ts";
import { unsubscribeUrl } from "../../../src/domain/notifications/unsubscribe.ts";
import { startTestApi, type TestApi } from "../../support/api.ts";
import { insertAccount } from "../../support/builders.ts";
import { createAuthority } from "../../support/certificates.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const links = { baseUrl: "https://checks.example.net" };
const worse: Event = {
  type: "issues.new",
  data: {
    site: { name: 'Tickets <b>&"</b>', url: "https://tickets.example.org/", owner: null },
    report_id: "5be18c4e-0000-4000-8000-000000000001",
    ...{ errors: 206, errors_before: 175, new: 34, fixed: 3, failure: null },
    pages: { checked: 42, not_checked: 1 },
    first_failed_limit: { name: "max_errors", limit: 100, value: 206 },
    causes: [
      {
        ...{
          cause_id: "c".repeat(20),
          title: "Element <input> has no <b>label",
          new: 24,
          pages: 24,
          impact: "critical",
        },
        ...{ assignee: "Agency <b>South", of: "cause", path: null, due_on: "2026-12-10" },
      },
      {
        ...{ cause_id: "d".repeat(20), title: "Text has too little contrast", new: 8, pages: 1, impact: null },
        ...{ assignee: "Editors", of: "section", path: "/docs/", due_on: null },
      },
      {
        ...{ cause_id: "e".repeat(20), title: "A link has no text", new: 2, pages: 1, impact: "serious" },
        ...{ assignee: null, of: null, path: null, due_on: null },
      },
    ],
  },
};
const message = { type: "issues.new" as const, occurredAt: new Date("2026-11-26T03:31:40Z"), events: [worse] };

/** The text of a mail as its readers see it (RFC 2045, 6.7). */
function quotedPrintable(raw: string): string {
  const bytes = raw
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

describe("A mail", () => {
  let checker: Checker;
  before(async () => {
    const grammar = await grammarsOf(cacheFolder(process.env)).load("html");
    checker = createChecker(() => grammar);
  });
  const check = (source: string) => checker.check(source);

  it("says what happened, for which site and how much, in short lines and in HTML without an issue", () => {
    const mail = mailOf(message, links, {
      reason: "You get this because Web team hears of it.",
      unsubscribe: "https://checks.example.net/unsubscribe/1/2",
    });
    expect(mail.subject).to.equal('Tickets <b>&"</b> got worse: 34 new errors');
    expect(mail.text).to.include("206 errors on 42 pages, after 175 in the run before: 34 new, 3 fixed.");
    expect(mail.text.split("\n").filter((line) => line.length > 72 && !line.startsWith("https://"))).to.deep.equal([]);
    expect(mail.text).to.include("https://checks.example.net/reports/5be18c4e-0000-4000-8000-000000000001\n");
    expect(check(mail.html)).to.deep.equal([]);
    expect(mail.html).not.to.match(/<b>|src=|url\(/);
    const lines = [
      ["+24", "Element <input> has no <b>label", "critical, on 24 pages; Agency <b>South has it, until 2026-12-10"],
      ["+8", "Text has too little contrast", "on 1 page; Editors has all of /docs/"],
      ["+2", "A link has no text", "serious, on 1 page; nobody has it"],
    ];
    const inText = lines.map(([value, name, below]) => `${value}  ${name}\n  ${below}`).join("\n");
    expect(mail.text).to.include(`\nNEW ERRORS\n\n${inText}\n`);
    for (const line of lines) for (const part of line) expect(mail.html).to.include(`>${escaped(part)}<`);
    expect(mail.html).to.include(`/reports/5be18c4e-0000-4000-8000-000000000001/causes/${"d".repeat(20)}"`);
    const collected = mailOf({ ...message, type: "digest", events: [worse, worse] }, links, {
      reason: "You get this.",
      unsubscribe: undefined,
    });
    expect(collected.text.split(inText)).to.have.length(3);
    expect(check(collected.html)).to.deep.equal([]);
    expect(Buffer.byteLength(mail.html)).to.be.below(12_000);
  });

  it("goes to each address on its own, with a way to end it; those who have it do not get it again", async () => {
    const got: { to: string[]; raw: string }[] = [];
    let refused = "refused@example.org";
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo: ({ address }, _session, done) =>
        done(address === refused ? Object.assign(new Error("unknown here"), { responseCode: 550 }) : null),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk) => chunks.push(chunk));
        stream.on("end", () => {
          got.push({
            to: session.envelope.rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString(),
          });
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    try {
      const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
      const encryptor = createEncryptor("a key for tests of mails");
      const mail = {
        ...{ id: "d1", message, to: ["ada@example.org", refused, "bob@example.org"], reason: "You get this." },
        unsubscribeUrl: (address: string) => unsubscribeUrl(links.baseUrl, encryptor, "r1", address),
      };
      const from = "Checks <checks@example.net>";
      const first = await sendMail({ url, from }, mail, links);
      expect(first).to.deep.include({
        delivered: false,
        status: 550,
        accepted: ["ada@example.org", "bob@example.org"],
      });
      expect(first.answer).to.match(/^Accepted for 2 of 3. .*unknown here/);
      expect(got.map(({ to }) => to)).to.deep.equal([["ada@example.org"], ["bob@example.org"]]);
      expect(got[0]?.raw).to.match(
        /^List-Unsubscribe:\s+<https:\/\/checks\.example\.net\/unsubscribe\/r1\/[\s\S]+?>\r$/m,
      );
      expect(got[0]?.raw).to.match(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
      refused = "";
      const second = await sendMail({ url, from }, { ...mail, to: ["refused@example.org"] }, links);
      expect(second).to.deep.include({ delivered: true, accepted: ["refused@example.org"] });
      expect(second.sent.body, "as it was sent, but for what gives access").to.match(/unsubscribe\/r1\/••••••$/m);
      // Lines are folded on their way.
      const words = (text: string) => text.replace(/\/unsubscribe\/r1\/\S+/g, "").replace(/\s+/g, " ");
      expect(words(quotedPrintable(got.at(-1)?.raw ?? ""))).to.include(words(second.sent.body).trim());
      const again = await sendMail({ url, from }, { ...mail, to: ["bob@example.org"] }, links);
      expect(again.delivered).to.equal(true);
      const idsOf = (address: string) =>
        got.flatMap(({ to, raw }) => (to[0] === address ? [/^Message-ID: (\S+)/im.exec(raw)?.[1]] : []));
      expect(new Set(idsOf("bob@example.org")).size, "the same for all attempts").to.equal(1);
      expect(new Set(got.map(({ to }) => idsOf(to[0] ?? "")[0])).size, "another for each address").to.equal(3);
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it("goes to the one address, whatever is in it", async () => {
    const got: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo: ({ address }, _session, done) => {
        got.push(address);
        done();
      },
      onData: (stream, _session, done) => stream.resume().on("end", () => done()),
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    try {
      const settings = {
        url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
        from: "c@example.net",
      };
      const to = "a,victim@example.org";
      const mail = { id: "d1", message, to: [to], reason: "You get this.", unsubscribeUrl: () => undefined };
      await sendMail(settings, mail, links);
      await sendOne(settings, { to, mail: { subject: "s", text: "t", html: "h" } });
      expect(got).to.deep.equal(['"a,victim"@example.org', '"a,victim"@example.org']);
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it("goes by TLS to a server whose certificate an authority of the operator's has signed, and to no stranger", async () => {
    const authority = createAuthority();
    const server = new SMTPServer({
      ...{ secure: true, authOptional: true, ...authority.issue(["127.0.0.1"]) },
      onData: (stream, _session, done) => stream.resume().on("end", () => done()),
    });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    try {
      const url = `smtps://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
      const mail = {
        id: "d2",
        message,
        to: ["ada@example.org"],
        reason: "You get this.",
        unsubscribeUrl: () => undefined,
      };
      const answers = async (authorities: string[]) => {
        const tls = { authorities, clientCertificates: new Map(), insecureHosts: new Set<string>() };
        const { delivered, answer } = await sendMail({ url, from: "checks@example.net", tls }, mail, links);
        return `${delivered} ${answer}`;
      };
      expect(await answers([authority.ca])).to.match(/^true /);
      expect(await answers([createAuthority("Stranger").ca])).to.match(/^false .*certificate/);
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  describe("ends", () => {
    let database: TestDatabase;
    let api: TestApi;
    let address: string;
    let accountId: string;
    let id: string;

    before(async () => {
      database = await createTestDatabase();
      const encryptor = createEncryptor("a key for tests of mails");
      api = await startTestApi(database, { encryptor });
      accountId = await insertAccount(database.db);
      const values = {
        ...{
          kind: "mail" as const,
          name: "Web team",
          url: null,
          mail_addresses: ["ada@example.org", "bob@example.org"],
        },
        ...{ events: ["issues.new" as const], site_urls: [], tags: [], digest: "none" as const, time_zone: "UTC" },
      };
      ({ id } = await insertReceiver(database.db, encryptor, accountId, values, new Date()));
      address = unsubscribeUrl(api.url, encryptor, id, "ada@example.org") ?? "";
    });
    after(async () => {
      await api.close();
      await database.drop();
    });
    const ended = async () => (await findReceiver(database.db, accountId, id))?.unsubscribed;

    it("by one POST of a mail program, and not by looking at the link", async () => {
      const page = await fetch(address);
      expect([page.status, await page.text()]).to.satisfy(
        ([status, text]: [number, string]) => status === 200 && text.includes("End these mails?"),
      );
      expect(await ended()).to.deep.equal([]);
      const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      expect((await fetch(address, { method: "POST", body })).status).to.equal(200);
      expect(await ended()).to.deep.equal(["ada@example.org"]);
      expect(check(await (await fetch(address)).text())).to.deep.equal([]);
    });

    it("for nobody else", async () => {
      const [, code = ""] = address.split(`${id}/`);
      const ofBob = `${Buffer.from("bob@example.org").toString("base64url")}.${code.split(".")[1]}`;
      for (const path of [`${id}/${ofBob}`, `${id}/x`, `not-an-id/${code}`])
        expect((await fetch(`${api.url}/unsubscribe/${path}`, { method: "POST" })).status, path).to.equal(404);
      expect(await ended()).to.deep.equal(["ada@example.org"]);
    });
  });
});
