import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { createChecker } from "html-conformance";
import { SMTPServer } from "smtp-server";
import type { List, One } from "../../../src/api/documents.ts";
import { grammarsOf } from "../../../src/checker/engines/grammar-store.ts";
import { cacheFolder } from "../../../src/config.ts";
import { sendInvitations } from "../../../src/delivery/send-invitations.ts";
import { invitationMail, MAX_INVITATION_MAILS } from "../../../src/domain/accounts/invitation-mail.ts";
import { accountWithToken } from "../../support/api.ts";
import { personWithToken } from "../../support/people.ts";
import { open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { webClient } from "../../support/web-service.ts";

const baseUrl = "https://checks.example.net";
const MINUTE = 60_000;

const refusalOf = (responseCode: number | undefined, message: string): Error | null =>
  responseCode === undefined ? null : Object.assign(new Error(message), { responseCode });

describe("An invitation by mail", () => {
  let scene: PagesScene;
  let owner: string;
  let server: SMTPServer;
  let got: { to: string; raw: string }[];
  /** What the server refuses addresses with, who signs in, and who sends. */
  let refusal: number | undefined;
  let signIn: number | undefined;
  let sender: number | undefined;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    ({ token: owner } = await personWithToken(scene.database, scene.accountId, "owner"));
    [got, refusal, signIn, sender] = [[], undefined, undefined, undefined];
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => done(refusalOf(signIn, "not you"), { user: username }),
      onMailFrom: (_from, _session, done) => done(refusalOf(sender, "not from there")),
      onRcptTo: (_to, _session, done) => done(refusalOf(refusal, "unknown here")),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk) => chunks.push(chunk));
        stream.on("end", () => {
          const raw = Buffer.concat(chunks).toString().replaceAll("=\r\n", "").replaceAll("=3D", "=");
          got.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), raw });
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  });
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

  const invite = (attributes: object, token = owner) =>
    scene.service.as(token)("POST", "/people", { attributes: { role: "reader", ...attributes } });
  const invited = async (mail: string, token = owner): Promise<One<"person">["data"]> => {
    const { status, text, json } = await invite({ mail, send_invitation: true }, token);
    expect(status, text).to.equal(201);
    return (json as unknown as One<"person">).data;
  };
  /** The controller sends what is due. */
  async function send(later = 0): Promise<void> {
    const url = `smtp://checks:secret@127.0.0.1:${(server.server.address() as AddressInfo).port}`;
    const now = () => new Date(Date.now() + later);
    const { signal } = new AbortController();
    await sendInvitations(scene.database.db, { mail: { url, from: "checks@example.net" }, baseUrl }, { now, signal });
  }
  const state = async (id: string) =>
    ((await scene.service.as(owner)("GET", `/people/${id}`)).json as unknown as One<"person">).data.attributes
      .invitation_mail;
  const linkIn = ({ raw }: { raw: string }) => /\/join\/(svi_[\w-]{32})/.exec(raw)?.[0] ?? "";
  const opens = async (path: string) => (await webClient(scene.service.url).get(path)).status;

  it("has a link of its own, which works beside the one that is shown, once for both", async () => {
    const { id, attributes } = await invited("ada@example.org");
    expect(attributes).to.deep.include({ send_invitation: true });
    const shown = new URL(attributes.invitation_url ?? "").pathname;
    expect(got).to.deep.equal([]);
    await send();
    expect(got.map(({ to }) => to)).to.deep.equal(["ada@example.org"]);
    const sent = linkIn(got[0] ?? { raw: "" });
    expect(sent)
      .to.match(/^\/join\/svi_/)
      .and.to.not.equal(shown);
    expect(await state(id)).to.include({ state: "sent" });
    expect([await opens(sent), await opens(shown)]).to.deep.equal([200, 200]);
    const client = webClient(scene.service.url);
    const password = "a long password of hers";
    await press(client, await open(client, sent), sent, { name: "Ada", password, password_again: password });
    expect([await opens(sent), await opens(shown)]).to.not.include(200);
    await send(60 * MINUTE);
    expect(got, "once").to.have.length(1);
  });

  it("is not sent to somebody who is removed before", async () => {
    const { id } = await invited("ada@example.org");
    await scene.service.as(owner)("DELETE", `/people/${id}`);
    await send();
    expect(got).to.deep.equal([]);
  });

  it("that is refused for good is seen by the owner, with the answer, and is in the audit log", async () => {
    refusal = 550;
    const { id } = await invited("ada@example.org");
    await send();
    expect(await state(id)).to.include({ state: "refused" });
    expect((await state(id))?.answer).to.include("unknown here");
    expect(textOf(await open(scene.client, "/people"), "table")).to.match(/mail refused: .*unknown here/);
    refusal = undefined;
    await send(60 * MINUTE);
    expect(got).to.deep.equal([]);
    const entries = (await scene.service.as(owner)("GET", "/audit?filter[text]=invit"))
      .json as unknown as List<"audit_entry">;
    expect(entries.data.map(({ attributes: { verb, who } }) => [verb, who])).to.have.deep.members([
      ["could not send an invitation by mail", "service"],
      ["invited a person", "token"],
    ]);
    const one = entries.data.find(({ attributes: { who } }) => who === "token");
    const { text } = await scene.service.as(owner)("GET", `/audit/${one?.id}`);
    expect(text).to.include("send_invitation").and.not.match(/svi_/);
  });

  it("is tried again when the server does not take it now, with a link that is the only one by mail", async () => {
    refusal = 451;
    const { id } = await invited("ada@example.org");
    await send();
    expect(await state(id)).to.include({ state: "waiting" });
    refusal = undefined;
    await send();
    expect(got, "not before a minute is over").to.deep.equal([]);
    await send(2 * MINUTE);
    expect(await opens(linkIn(got[0] ?? { raw: "" }))).to.equal(200);
  });

  it("is another mail in each attempt: none is dropped as one that came before, whose link works no more", async () => {
    const { id } = await invited("ada@example.org");
    await send();
    // The first one was sent, and the controller ended before that was recorded.
    const again = { state: "waiting" as const, tries: 0 };
    await scene.database.db.updateTable("invitation_mails").set(again).where("person_id", "=", id).execute();
    await send();
    expect(new Set(got.map(({ raw }) => /^Message-ID: (\S+)/im.exec(raw)?.[1])).size).to.equal(2);
    expect(await opens(linkIn(got[1] ?? { raw: "" }))).to.equal(200);
  });

  it("is tried again when the server refuses the service or what it sends, and not the address", async () => {
    signIn = 535;
    const { id } = await invited("ada@example.org");
    await send();
    expect(await state(id)).to.include({ state: "waiting" });
    expect((await state(id))?.answer).to.include("not you");
    [signIn, sender] = [undefined, 550];
    await send(2 * MINUTE);
    expect(await state(id)).to.include({ state: "waiting" });
    sender = undefined;
    await send(60 * MINUTE);
    expect(await state(id)).to.include({ state: "sent" });
  });

  it("goes to few in a day, and to one address a few times, whoever removes them meanwhile", async () => {
    const refused = async (mail: string, token = owner) => {
      const { status, text } = await invite({ mail, send_invitation: true }, token);
      expect([status, /too_many_invitations/.test(text)]).to.deep.equal([409, true]);
    };
    for (let n = 0; n < MAX_INVITATION_MAILS.address; n += 1) {
      const { id } = await invited("eve@example.org");
      await scene.service.as(owner)("DELETE", `/people/${id}`);
    }
    await refused("eve@example.org");
    const other = await accountWithToken(scene.database);
    await refused("eve@example.org", other.token);
    for (let n = MAX_INVITATION_MAILS.address; n < MAX_INVITATION_MAILS.account; n += 1)
      await invited(`guest-${n}@example.org`);
    await refused("ada@example.org");
    expect((await invite({ mail: "ada@example.org" })).status, "by its link alone").to.equal(201);
    await invited("ada@example.org", other.token);
  });

  it("goes to nobody besides, and is counted once for all ways to write an address", async () => {
    for (const mail of [
      ...["a<victim@example.org", "a,victim@example.org", "a;victim@example.org", "a:victim@example.org"],
      ...['"victim"@example.org', "victim(1)@example.org", "vic\\tim@example.org"],
    ]) {
      const { status, text } = await invite({ mail, send_invitation: true });
      expect([status, text.includes("/data/attributes/mail")], mail).to.deep.equal([422, true]);
    }
    const spellings = ["victim@example.org", "victim@example.org.", "victim@ｅxample。org"];
    expect(spellings).to.have.length(MAX_INVITATION_MAILS.address);
    for (const mail of spellings) await invited(mail);
    const { text } = await invite({ mail: "victim@ex\u00adample.org", send_invitation: true });
    expect(text).to.include("too_many_invitations");
    await send();
    expect(got.map(({ to }) => to)).to.deep.equal(spellings.map(() => "victim@example.org"));
  });

  it("is asked for by a box in the form, and the link is shown all the same", async () => {
    const page = await open(scene.client, "/people");
    const reply = await press(scene.client, page, "/people", {
      ...{ mail: "ada@example.org", role: "reader", send_invitation: "true" },
    });
    expect(reply.status).to.equal(201);
    expect(textOf(reply)).to.include("goes to ada@example.org");
    expect(reply.html()).to.match(/\/join\/svi_/);
    await send();
    expect(got).to.have.length(1);
  });

  it("says who invites where, what to do if nobody knows why, in short lines and in HTML without an issue", async () => {
    const by = `<b>Ada</b> ${"&".repeat(100)}`;
    const mail = invitationMail({ baseUrl, secret: "svi_a", by, endsAt: new Date("2026-12-07T12:00:00Z") });
    expect(mail.subject).to.equal("You are invited to Site Validator at checks.example.net");
    expect(mail.text).to.include("until 2026-12-07").and.to.include(`\n${baseUrl}/join/svi_a\n`);
    expect(mail.text).to.include("do nothing");
    expect(mail.text.split("\n").filter((line) => line.length > 72 && !line.startsWith("https://"))).to.deep.equal([]);
    expect(mail.html)
      .to.include(`href="${baseUrl}/join/svi_a"`)
      .and.to.not.match(/<b>|src=|url\(|&amp;{20}/);
    const grammar = await grammarsOf(cacheFolder(process.env)).load("html");
    expect(createChecker(() => grammar).check(mail.html)).to.deep.equal([]);
  });
});
