import { expect } from "chai";
import { load } from "cheerio";
import { type CheckKind, checkKinds, nounOf } from "../../../src/checks/kinds.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { type SiteRole, siteRoles } from "../../../src/domain/accounts/roles.ts";
import { createWeb } from "../../../src/web/app.ts";
import { forms, pages } from "../../../src/web/routes.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { OTHER_SITE, oneOfEach, onOtherSite } from "../../support/every-route.ts";
import { personWithToken } from "../../support/people.ts";
import { limitOf } from "../../support/wait.ts";
import { signedIn, type WebClient, webClient } from "../../support/web-service.ts";

const ofReports = pages.filter(({ path }) => path.startsWith("/reports/:"));
const ofSharedReports = pages.filter(({ path }) => path.startsWith("/r/:"));
/** Pages of a thing that belongs to somebody; a month is everybody's, with their own sites. */
const owned = pages.filter(({ path, access }) => /:(?!month$)/.test(path) && access !== "public");
/** But for what asks for a file of one's own. */
const ownedForms = forms.filter(({ path }) => path.includes(":") && path !== "/months/:month/file");

describe("the tenant boundary, on every page and form", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let ids: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("the key of this test"), pages: createWeb });
  });
  beforeEach(async () => {
    owner = await accountWithToken(database);
    ids = await oneOfEach(database, api, owner);
    const components = await api.as(owner.token)("GET", `/reports/${ids.report_id}/components`);
    ids.component_id = components.json.data[0]?.id ?? "";
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const client = (token: string) => signedIn({ url: api.url, token });

  /** A path with the owner's ids. One with an id that is not known here is an error: it must not be forgotten. */
  function addressOf(path: string): string {
    const [, kind = ""] = /\/issues\/(\w+)\//.exec(path) ?? [];
    const noun = checkKinds.includes(kind as CheckKind) ? nounOf(kind as CheckKind) : kind;
    const known: Record<string, string | undefined> = {
      ...ids,
      page_id: ids.web_page_id,
      issue_id: ids[`common_${noun}_issue_id`],
      format: path.includes("/statement.") ? "html" : "csv",
    };
    // What is selected is in the address.
    const query = path === "/kept/selected" ? `?reports=${ids.report_id}` : "";
    return `${path}${query}`.replace(/:(\w+)/g, (_, name: string) => {
      const id = known[name];
      if (id === undefined) throw new Error(`${path}: make a ${name} in this test.`);
      return id;
    });
  }

  async function statuses(of: readonly { path: string }[], visitor: WebClient): Promise<string[]> {
    const all: string[] = [];
    for (const { path } of of) all.push(`${path} ${(await visitor.get(addressOf(path))).status}`);
    return all;
  }
  const expected = (of: readonly { path: string }[], status: number) => of.map(({ path }) => `${path} ${status}`);

  it("shows the owner every page", async () => {
    const own = pages.filter(({ access }) => access !== "public");
    expect(await statuses(own, await client(owner.token))).to.deep.equal(expected(own, 200));
  });

  it("shows another account nothing of it", async () => {
    const other = await accountWithToken(database);
    expect(await statuses(owned, await client(other.token))).to.deep.equal(expected(owned, 404));
  });

  it("shows a guest nothing of its host's", async () => {
    const guest = await guestWithToken(database, owner.accountId);
    expect(await statuses(owned, await client(guest.token))).to.deep.equal(expected(owned, 404));
  });

  for (const role of siteRoles)
    it(`shows a ${role} on a single site nothing of another site, on every page`, async () => {
      const own = await onOtherSite(database, api, owner);
      const person = await personWithToken(database, owner.accountId, null, {
        sites: [{ starting_url: OTHER_SITE, role }],
      });
      const visitor = await client(person.token);
      const isOfAll = (path: string) =>
        /^\/(guests|people|teams|receivers|deliveries|audit|kept|usage|deletions)\b/.test(path);
      const others = [...(await statuses(owned, visitor))].filter((reply) => !/ (403|404)$/.test(reply));
      expect(others).to.deep.equal([]);
      // What belongs to nobody, such as a month, and what its own site has.
      await api.as(owner.token)("PATCH", `/sites/${ids.site_id}`, { attributes: { name: "Hushed shop" } });
      const foreign = [
        ...["Hushed", ids.report_id, ids.schedule_id, ids.assignment_id, ids.share_link_id, ids.basic_auth_id],
      ].filter((text) => text !== undefined);
      ids = { ...ids, ...own };
      const shown: string[] = [];
      for (const { path } of pages.filter(({ access }) => access !== "public")) {
        const { status, html } = await visitor.get(addressOf(path));
        // Forms have an address as an example.
        const texts = /\/new$|\/edit$/.test(path) ? foreign : [...foreign, "//example.com"];
        shown.push(`${path} ${status} ${texts.filter((text) => html.includes(text))}`);
      }
      // But for mutings and credentials of others, what is about the whole account, and a form that readers do not get.
      const isOther = (line: string) =>
        /\/(mutings|credentials)\/:|\/report\.pdf |^\/held\/:/.test(line) || isOfAll(line.split(" ")[0] ?? "");
      expect(shown.filter((line) => !(isOther(line) ? / (200|403|404) $/ : / 200 $/).test(line))).to.deep.equal([]);
    });

  /** The links and forms of these pages that are about the owner's site; each form with what it sends when nobody fills it in. */
  async function offersOnSite(visitor: WebClient, paths: readonly string[]) {
    const names = ["report_id", "site_id", "schedule_id", "assignment_id", "share_link_id", "pin_id"];
    const isOfSite = (text: string) => names.some((name) => text.includes(ids[name] ?? "?"));
    const links = new Set<string>();
    const sent = new Map<string, Record<string, string>>();
    for (const path of paths) {
      const page = load((await visitor.get(path)).html);
      for (const { attribs } of page('main a[href^="/"]'))
        if (isOfSite(`${path} ${attribs.href}`)) links.add(attribs.href?.split("#")[0] ?? "");
      for (const form of page('main form[method="post"]')) {
        const fields = page(form).serializeArray();
        const { action = "" } = form.attribs;
        if (isOfSite(JSON.stringify([path, action, fields])))
          sent.set(action, Object.fromEntries(fields.map(({ name, value }) => [name, value])));
      }
    }
    return { links, sent };
  }

  for (const role of [null, "reader"] as const)
    it(`offers a reader of ${role === null ? "a site" : "all sites"}, who is editor on another one, nothing there that is refused`, async function () {
      this.timeout(limitOf(60));
      const { site_id } = await onOtherSite(database, api, owner);
      const sites: SiteRole[] = [{ starting_url: OTHER_SITE, role: "editor" }];
      if (role === null) sites.push({ starting_url: "https://example.com/", role: "reader" });
      const visitor = await client((await personWithToken(database, owner.accountId, role, { sites })).token);
      // Nothing leads to what is asked before many reports are deleted, but the page of what is kept in the whole account.
      const own = pages.filter(({ access, path }) => access !== "public" && path !== "/kept/selected");
      const paths = [...own.map(({ path }) => addressOf(path)), `/share-links?report_id=${ids.report_id}`];
      const { links, sent } = await offersOnSite(visitor, paths);
      const replies = [];
      for (const link of links) replies.push(`${link} ${(await visitor.get(link)).status}`);
      for (const [action, fields] of sent)
        replies.push(`POST ${action} ${(await visitor.post(action, fields)).status}`);
      expect(replies).to.have.length.above(50);
      expect(replies.filter((reply) => reply.endsWith(" 403"))).to.deep.equal([]);
      expect(load((await visitor.get(`/sites/${site_id}`)).html)('main form[method="post"]').length).to.be.above(0);
    });

  it("asks who is not signed in to do so, and shows nothing", async () => {
    const visitor = webClient(api.url);
    for (const { path } of pages.filter(({ access }) => access !== "public")) {
      const { status, location } = await visitor.get(addressOf(path));
      expect(`${status} ${location?.split("?")[0]}`, path).to.equal("303 /sign-in");
    }
  });

  it("shows everybody a report that is shared, and no other", async () => {
    expect(await statuses(ofSharedReports, webClient(api.url))).to.deep.equal(expected(ofSharedReports, 404));
    await api.as(owner.token)("PATCH", `/reports/${ids.report_id}`, { attributes: { shared: true } });
    expect(await statuses(ofSharedReports, webClient(api.url))).to.deep.equal(expected(ofSharedReports, 200));
    const [shared, own] = [true, false].map((is) => ofReports.filter(({ access }) => (access === "shared") === is));
    expect(await statuses(shared ?? [], webClient(api.url))).to.deep.equal(expected(shared ?? [], 200));
    // What only the owner sees: a picture of a failed sign-in, and what is asked before pages are deleted.
    expect(await statuses(own ?? [], webClient(api.url))).to.deep.equal(expected(own ?? [], 303));
    expect(own).to.have.length(2);
  });

  it("offers nothing that would change a shared report, nor its mutings, to another account and to a guest", async () => {
    await api.as(owner.token)("PATCH", `/reports/${ids.report_id}`, { attributes: { shared: true } });
    const offers = async (token: string) => {
      const visitor = await client(token);
      const found: string[] = [];
      for (const { path } of ofReports) {
        const { html } = await visitor.get(addressOf(path));
        const page = load(html);
        for (const element of page('main form[method="post"], main a[href*="/mutings/new"]')) {
          const { action, href } = element.attribs;
          found.push(`${path}: ${(action ?? href ?? "").split("?")[0]?.split("/").at(-1)}`);
        }
      }
      return found;
    };
    const others = [await accountWithToken(database), await guestWithToken(database, owner.accountId)];
    for (const { token } of others) expect(await offers(token)).to.deep.equal([]);
    expect(await offers(owner.token))
      .to.include("/reports/:report_id/pages/:page_id: again")
      .and.include("/reports/:report_id/issues/html/:issue_id: new");
  });

  it("refuses every form about it from another account, and from a guest", async () => {
    const others = [await accountWithToken(database), await guestWithToken(database, owner.accountId)];
    for (const { token } of others) {
      const visitor = await client(token);
      for (const { path } of ownedForms) {
        const { status } = await visitor.post(addressOf(path), { shared: "true" });
        expect(status, path).to.equal(404);
      }
    }
    const report = await api.as(owner.token)("GET", `/reports/${ids.report_id}`);
    expect(report.json.data.attributes).to.include({ shared: false });
  });

  it("refuses every form from a token that may only read", async () => {
    const { token } = await createToken(database.db, { accountId: owner.accountId, name: "reader", scope: "read" });
    const reader = await client(token);
    for (const { path } of forms) {
      const { status } = await reader.post(addressOf(path), { starting_url: "https://example.com/" });
      expect(status, path).to.equal(403);
    }
  });

  it("refuses every form without the secret of its session, and one with another session's", async () => {
    const visitor = await client(owner.token);
    const another = await client(owner.token);
    const { html } = await another.get("/reports/new");
    const foreign = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const reportIds = async () => {
      const { json } = await api.as(owner.token)("GET", "/reports");
      return json.data.map(({ id }) => id);
    };
    const before = await reportIds();
    for (const { path } of forms)
      for (const csrf of ["", foreign]) {
        const { status } = await visitor.post(addressOf(path), { csrf, starting_url: "https://example.com/" });
        expect(status, path).to.equal(403);
      }
    expect(before).to.include(ids.report_id);
    expect(await reportIds()).to.deep.equal(before);
  });
});
