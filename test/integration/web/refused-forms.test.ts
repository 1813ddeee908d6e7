import { expect } from "chai";
import { pages } from "../../../src/web/routes.ts";
import { runReport } from "../../support/compared-sites.ts";
import { limitOf } from "../../support/wait.ts";
import { open, type Page, type PagesScene, press, signedInToPages } from "../../support/web-pages.ts";

/** What is filled into every field: each is wrong for some. */
const WRONG = ["", "not this", "-1", "x".repeat(5_000)];

/** A form of a page, and the names of its fields. */
type Form = { page: Page; action: string; route: string; names: string[] };

describe("A form that is refused, of any page", function () {
  this.timeout(limitOf(60));

  let scene: PagesScene;
  let params: Record<string, string>;
  signedInToPages((made) => {
    scene = made;
  });

  beforeEach(async () => {
    const { database, accountId, service, token, client } = scene;
    const create = async (path: string, attributes: Record<string, unknown>): Promise<string> => {
      const { status, json } = await service.as(token)("POST", path, { attributes });
      expect(status, JSON.stringify(json)).to.equal(201);
      return json.data.id;
    };
    const report_id = await runReport(database.db, accountId, { "/": ["alt img p"] });
    const report = await open(client, `/reports/${report_id}`);
    params = {
      report_id,
      site_id: report("h1 a").attr("href")?.split("/").at(-1) ?? "",
      schedule_id: await create("/schedules", { starting_url: "https://example.com/", periodicity: { every: "week" } }),
      muting_id: await create("/mutings", { rule: "image-alt" }),
      basic_auth_id: await create("/basic_auths", { host: "example.com", username: "a", password: "b" }),
      guest_account_id: await create("/guest_accounts", { max_usage: 100 }),
      team_id: await create("/teams", { name: "Web team" }),
      receiver_id: await create("/receivers", {
        ...{ kind: "webhook", name: "Tickets", url: "https://tickets.example/", events: ["report.failed"] },
      }),
    };
  });

  it("has the words of its page, beside the fields, and what was typed", async () => {
    const refused = new Set<string>();
    for (const form of (await Promise.all(pages.map(({ path }) => formsOf(path)))).flat())
      for (const wrong of WRONG) {
        const filled = Object.fromEntries(form.names.map((name) => [name, wrong]));
        const again = await press(scene.client, form.page, form.action, filled);
        if (again.status < 400) continue;
        refused.add(form.route);
        expectInItsWords(again, form, wrong);
      }
    expect([...refused].sort()).to.deep.equal([
      "/credentials",
      "/credentials/:basic_auth_id",
      "/guests",
      "/guests/:guest_account_id",
      "/kept",
      "/mutings/:muting_id",
      "/mutings/new",
      "/people",
      "/receivers/:receiver_id",
      "/receivers/new",
      "/reports/:report_id",
      "/reports/new",
      "/schedules/:schedule_id/edit",
      "/schedules/new",
      "/share-links",
      "/sites/:site_id",
      "/sites/:site_id/compare",
      "/sites/:site_id/held",
      "/sites/:site_id/statement",
      "/teams",
      "/teams/:team_id",
      "/tokens",
    ]);
  });

  /** The forms of a page that have fields to fill in. */
  async function formsOf(path: string): Promise<Form[]> {
    if ([...path.matchAll(/:(\w+)/g)].some(([, name = ""]) => params[name] === undefined) || /events|export/.test(path))
      return [];
    const address = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
    const page = await open(scene.client, `${address}?report_id=${params.report_id}`);
    return page('form[method="post"]')
      .toArray()
      .flatMap((form) => {
        const fields = page(form).find('input:not([type="hidden"]), textarea, select').toArray();
        const names = [...new Set(fields.map((field) => page(field).attr("name") ?? ""))];
        return names.length === 0 ? [] : [{ page, action: page(form).attr("action") ?? "", route: path, names }];
      });
  }

  function expectInItsWords(page: Page, { action, names }: Form, wrong: string): void {
    const about = `${action} with ${JSON.stringify(wrong.slice(0, 10))}`;
    const said = page(".problems li, .error").toArray();
    expect(said, about).to.not.deep.equal([]);
    for (const item of said) {
      const text = page(item)
        .text()
        .replace(/"(?:[^"\\]|\\.)*"/g, "");
      const shown = names.filter((name) => (/[_.]/.test(name) ? text.includes(name) : text.startsWith(`${name} `)));
      expect(shown, `${about}: ${text}`).to.deep.equal([]);
    }
    for (const link of page(".problems a").toArray()) {
      const id = (page(link).attr("href") ?? "").slice(1);
      const described = page(`[id="${id}"]`).closest("[aria-describedby]").attr("aria-describedby");
      expect(described?.split(" "), `${about}: #${id}`).to.include(id.replace("field-", "error-"));
    }
    for (const field of page(".problems").closest("form").find('input[type="text"], textarea').toArray()) {
      const name = page(field).attr("name") ?? "";
      if (name !== "sign_in") expect(page(field).val() ?? "", `${about}: ${name}`).to.equal(wrong);
    }
  }
});
