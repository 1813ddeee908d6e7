import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { guestWithToken } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { NOW, runReport } from "../../support/compared-sites.ts";
import { open, type Page, type PagesScene, press as send, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn } from "../../support/web-service.ts";

describe("The page of what is kept", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  /** A report each day, the last of them in May. @returns their ids, the oldest first */
  async function days(howMany: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < howMany; n += 1) {
      const at = new Date(NOW.getTime() + n * 86_400_000);
      ids.push(await runReport(scene.database.db, scene.accountId, { "/": ["alt img main"] }, { at }));
    }
    return ids;
  }
  /** Sends a form, and goes where it leads. */
  const press = async (
    client: PagesScene["client"],
    page: Page,
    action: string,
    filled?: Record<string, string | undefined>,
  ) => {
    const reply = await send(client, page, action, filled);
    return reply.location === null ? reply : open(client, reply.location);
  };
  const kept = () => open(scene.client, "/kept");
  const retention = async () => (await scene.service.as(scene.token)("GET", "/retention")).json.data.attributes;

  it("says that everything is kept, and what stays in any case", async () => {
    const text = textOf(await kept(), "main");
    expect(text).to.include("It would delete nothing.").and.to.include("0 pinned reports, whatever the age");
  });

  it("shows a token that may only read what is kept, without a preview", async () => {
    const { token } = await createToken(scene.database.db, { accountId: scene.accountId, name: "CI", scope: "read" });
    const page = await open(await signedIn({ url: scene.service.url, token }), "/kept");
    expect(page.status).to.equal(200);
    expect(textOf(page)).to.include("0 pinned reports, whatever the age").and.not.include("It would delete");
  });

  it("previews what is typed before anything is saved, and says what saving does", async () => {
    await days(4);
    const preview = await press(scene.client, await kept(), "/kept", { report_days: "1", do: "preview" });
    expect(textOf(preview, "[aria-labelledby=preview]"))
      .to.include("It would delete 2 reports")
      .and.to.include("2 reports would be old enough, and stay");
    expect(textOf(preview, "[aria-labelledby=keep]"))
      .to.include("Saved now: no limit.")
      .and.to.include("Save, and delete 2 reports in the next night");
    expect(await retention()).to.include({ report_days: null, takes_effect_at: null });
    await press(scene.client, preview, "/kept", { report_days: "1" });
    expect(await retention()).to.include({ report_days: 1, schedule_runs: null });
    expect((await retention()).takes_effect_at).to.match(/T03:00:00$/);
    await press(scene.client, await kept(), "/kept", { report_days: "" });
    expect(await retention()).to.include({ report_days: null, takes_effect_at: null });
  });

  it("keeps what was typed and says what is wrong with it", async () => {
    for (const more of [{}, { do: "preview" }]) {
      const refused = await press(scene.client, await kept(), "/kept", { report_days: "0", raw_days: "30", ...more });
      expect(textOf(refused, "[role=alert]")).to.include("Days that reports are kept");
      expect(refused("[name=raw_days]").val()).to.equal("30");
    }
    expect(await retention()).to.include({ report_days: null, raw_days: null });
  });

  it("pins a report with a reason, which cannot be selected then, and unpins it", async () => {
    const [first = ""] = await days(2);
    const report = await open(scene.client, `/reports/${first}`);
    const refused = await press(scene.client, report, `/reports/${first}/pin`, { reason: " " });
    expect(textOf(refused, "[role=alert]")).to.include("Why it is kept");
    const pinned = await press(scene.client, refused, `/reports/${first}/pin`, { reason: "Before the new <design>" });
    expect(textOf(pinned, "main"))
      .to.include("“Before the new <design>”")
      .and.to.include("It stays until somebody unpins it.");
    const listed = await kept();
    expect(listed(`input[value="${first}"]`).attr("disabled")).to.not.equal(undefined);
    expect(textOf(listed, "main")).to.include("1 pinned report, whatever the age");
    const unpinned = await press(scene.client, pinned, `/reports/${first}/pin`);
    expect(textOf(unpinned, "main")).not.to.include("new <design>");
    expect((await kept())(`input[value="${first}"]`).attr("disabled")).to.equal(undefined);
  });

  it("asks before the selected reports are deleted, shows how far it is, and stops", async () => {
    const [first = "", second = "", third = ""] = await days(3);
    const list = await kept();
    const asked = await press(scene.client, list, "/kept/selected", { report: first, part: "report" });
    expect(textOf(asked, "main")).to.include("Delete 1 report for ever?");
    expect((await scene.service.as(scene.token)("GET", "/deletions")).json.meta.total).to.equal(0);
    const confirmed = await press(scene.client, asked, "/kept/selected", { act: "do" });
    expect(textOf(confirmed, "main")).to.include("0 of 1 report or part of one deleted");
    const attributes = { report_ids: [first, second] };
    const { json } = await scene.service.as(scene.token)("POST", "/deletions", { attributes });
    const running = await open(scene.client, `/kept/deletions/${json.data.id}`);
    expect(textOf(running, "main"))
      .to.include("0 of 2 reports or parts of them deleted")
      .and.to.include("a report that stays is compared with it");
    const stop = running("form[action$='/stop']").attr("action") ?? "";
    const stopped = await press(scene.client, running, stop);
    expect(textOf(stopped, "main")).to.include("Stopped: what was left stays.");
    for (const id of [first, second, third])
      expect((await scene.service.as(scene.token)("GET", `/reports/${id}`)).status).to.equal(200);
    expect(textOf(await kept(), "[aria-labelledby=deletions]")).to.include("stopped");
  });

  it("says that nothing is selected", async () => {
    await days(1);
    const page = await press(scene.client, await kept(), "/kept/selected", { part: "report" });
    expect(textOf(page, "main")).to.include("select at least one report");
  });

  it("names sites as people call them, and says how each run ended", async () => {
    await days(1);
    const [site] = (await scene.service.as(scene.token)("GET", "/sites")).json.data;
    await scene.service.as(scene.token)("PATCH", `/sites/${site?.id}`, { attributes: { name: "Market hall shop" } });
    const page = await kept();
    expect(textOf(page, "[aria-labelledby=largest] tbody")).to.include("Market hall shop");
    expect(textOf(page, "[aria-labelledby=reports] tbody"))
      .to.include("Market hall shop")
      .and.to.include("No limits set");
  });

  it("lists what is searched for by site, day and result, with as many as each choice says, and the size of each", async () => {
    const ids = await days(4);
    await runReport(
      scene.database.db,
      scene.accountId,
      { "/": { failed: 500 } },
      { at: new Date(NOW.getTime() + 9 * 86_400_000) },
    );
    await scene.service.as(scene.token)("POST", "/pins", { attributes: { report_id: ids[1], reason: "The tender" } });
    await scene.database.db
      .updateTable("reports")
      .set({ stored_bytes: "2000000" })
      .where("id", "=", ids[2] ?? "")
      .execute();
    const rowsOf = (page: Page) => page("[aria-labelledby=reports] tbody tr").length;
    const within = "/kept?from=2026-05-06&to=2026-05-07";
    const some = await open(scene.client, within);
    expect(rowsOf(some)).to.equal(2);
    for (const address of ["/kept", within]) {
      const page = await open(scene.client, address);
      const chips = page("[aria-labelledby=reports] a.chip").toArray();
      expect(chips.length).to.be.above(2);
      for (const chip of chips) {
        const { count, to } = { count: Number(page(chip).find("span").text()), to: page(chip).attr("href") ?? "" };
        expect(rowsOf(await open(scene.client, to)), to).to.equal(count);
      }
    }
    expect(textOf(await open(scene.client, "/kept?show=pinned"), "[aria-labelledby=reports] tbody")).to.include(
      "The tender",
    );
    const largest = await open(scene.client, "/kept?sort=bytes-desc");
    expect(textOf(largest, "[aria-labelledby=reports] tbody tr:first-child")).to.match(/2 MB$/);
  });

  it("leads from what would be deleted to a list of exactly these reports", async () => {
    const ids = await days(4);
    const preview = await press(scene.client, await kept(), "/kept", { report_days: "1", do: "preview" });
    const list = await open(scene.client, preview("[aria-labelledby=preview] a").attr("href")?.split("#")[0] ?? "");
    const rows = list("[aria-labelledby=reports] input[name=report]")
      .toArray()
      .map((box) => list(box).attr("value"));
    expect(rows).to.deep.equal(ids.slice(0, 2));
    expect(textOf(list, "[aria-labelledby=preview]")).to.include("It would delete 2 reports");
  });

  it("says of the selected reports how many sites, how old, how large and how many are shared", async () => {
    const [first = "", second = ""] = await days(3);
    await scene.service.as(scene.token)("PATCH", `/reports/${first}`, { attributes: { shared: true } });
    await scene.database.db
      .updateTable("reports")
      .set({ stored_bytes: "2000000" })
      .where("id", "in", [first, second])
      .execute();
    const asked = textOf(await open(scene.client, `/kept/selected?part=report&reports=${first},${second}`));
    expect(asked).to.include("They are of 1 site, the oldest from 5 May 2026: 4 MB.");
    expect(asked).to.include("1 of them is shared by link.");
  });

  it("pins all that are selected with one reason, or none of them", async () => {
    const [first = "", second = "", third = ""] = await days(3);
    const selected = `/kept/selected?part=pin&reports=${first},${second}`;
    const refused = await press(scene.client, await open(scene.client, selected), "/kept/selected", {
      act: "do",
      reason: " ",
    });
    expect(textOf(refused, "[role=alert]")).to.include("Why it is kept");
    const pinned = await press(scene.client, refused, "/kept/selected", { act: "do", reason: "For the tender" });
    expect(textOf(pinned)).to.include("The reports are pinned");
    const pins = async () => (await scene.service.as(scene.token)("GET", "/pins")).json.meta.total;
    expect(await pins()).to.equal(2);
    const { db } = scene.database;
    const row = { account_id: scene.accountId, reason: "x", pinned_by: "test", inserted_at: NOW };
    for (let n = 0; n < 97; n++) {
      const id = await insertReport(db, { accountId: scene.accountId });
      await db
        .insertInto("pins")
        .values({ ...row, report_id: id })
        .execute();
    }
    const more = await runReport(db, scene.accountId, { "/": [] }, { at: NOW });
    const many = await open(scene.client, `/kept/selected?part=pin&reports=${first},${third},${more}`);
    const tooMany = await press(scene.client, many, "/kept/selected", { act: "do", reason: "All" });
    expect(textOf(tooMany, "[role=alert]")).to.include("2 more pins, and 99 of 100 are used. Nothing was pinned");
    expect(await pins()).to.equal(99);
  });

  it("leaves the pin that somebody has set meanwhile, and pins nothing while one of them runs again", async () => {
    const [first = "", second = "", third = ""] = await days(3);
    const asked = await open(scene.client, `/kept/selected?part=pin&reports=${first},${second}`);
    await scene.service.as(scene.token)("POST", "/pins", { attributes: { report_id: first, reason: "Legal hold" } });
    await press(scene.client, asked, "/kept/selected", { act: "do", reason: "To compare" });
    const reasons = async () =>
      (await scene.service.as(scene.token)("GET", "/pins")).json.data.map(({ attributes }) => attributes.reason).sort();
    expect(await reasons()).to.deep.equal(["Legal hold", "To compare"]);
    const later = await open(scene.client, `/kept/selected?part=pin&reports=${second},${third}`);
    await scene.database.db.updateTable("reports").set({ phase: "Checking" }).where("id", "=", third).execute();
    const refused = await press(scene.client, later, "/kept/selected", { act: "do", reason: "Again" });
    expect(textOf(refused, "[role=alert]")).to.include("One of them runs again. Nothing was pinned");
    expect(await reasons()).to.deep.equal(["Legal hold", "To compare"]);
  });

  it("pins all or none of two selections that are sent at the same moment, when there is room for one", async () => {
    const { db } = scene.database;
    for (let n = 0; n < 96; n++) {
      const report_id = await insertReport(db, { accountId: scene.accountId });
      const pin = { report_id, account_id: scene.accountId, reason: "x", pinned_by: "test", inserted_at: NOW };
      await db.insertInto("pins").values(pin).execute();
    }
    const ids = await days(8);
    const pin = async (reports: string[]) => {
      const client = await signedIn({ url: scene.service.url, token: scene.token });
      const asked = await open(client, `/kept/selected?part=pin&reports=${reports}`);
      return () => send(client, asked, "/kept/selected", { act: "do", reason: "The tender" });
    };
    const both = [await pin(ids.slice(0, 4)), await pin(ids.slice(4))];
    const replies = await Promise.all(both.map((submit) => submit()));
    const done = replies.filter(({ status }) => status === 303).length;
    const { meta } = (await scene.service.as(scene.token)("GET", "/pins")).json;
    expect(done).to.be.below(2);
    expect(meta.total).to.equal(96 + 4 * done);
  });

  it("deletes all that are selected, however large they are", async () => {
    const initialUrls = Array.from({ length: 900 }, (_, n) => `https://example.com/${"x".repeat(60)}${n}`);
    const ids: string[] = [];
    for (let n = 0; n < 60; n++)
      ids.push(await insertReport(scene.database.db, { accountId: scene.accountId, spec: { initialUrls } }));
    const asked = await open(scene.client, `/kept/selected?part=report&reports=${ids.join(",")}`);
    expect(textOf(asked, "h1")).to.equal("Delete 60 reports for ever?");
  });

  it("offers what a token may do, and says nothing of limits to one that may not set them", async () => {
    await days(2);
    const bounds = { may: ["read", "write"] as const, siteUrls: null, siteTags: null };
    const { token } = await createToken(scene.database.db, {
      ...{ accountId: scene.accountId, name: "CI", scope: "write" as const, bounds },
    });
    const client = await signedIn({ url: scene.service.url, token });
    const page = await open(client, "/kept?show=going&to=9999-12-31");
    expect(page.status).to.equal(200);
    expect(page('button[value="pin"]')).to.have.length(0);
    expect(page('button[value="report"]')).to.have.length(1);
    expect(page("[aria-labelledby=reports] tbody tr")).to.have.length(2);
    expect(textOf(page)).to.not.include("What the limits above would delete");
  });

  it("ticks no rows of another choice than the one that was ticked", async () => {
    await days(2);
    const page = await open(scene.client, "/kept?tick=all");
    expect(page("input[name=report][checked]")).to.have.length(2);
    const other = page('[aria-labelledby=reports] a.chip[href*="no_limits"]').attr("href") ?? "";
    expect((await open(scene.client, other))("input[name=report][checked]")).to.have.length(0);
  });

  it("asks for the number of a hundred reports before it deletes them", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) ids.push(await insertReport(scene.database.db, { accountId: scene.accountId }));
    const asked = await open(scene.client, `/kept/selected?part=report&reports=${ids.join(",")}`);
    const refused = await press(scene.client, asked, "/kept/selected", { act: "do", how_many: "10" });
    expect(textOf(refused, "[role=alert]")).to.include("Write 100 to confirm.");
    expect((await scene.service.as(scene.token)("GET", "/deletions")).json.meta.total).to.equal(0);
    const confirmed = await press(scene.client, refused, "/kept/selected", { act: "do", how_many: "100" });
    expect(textOf(confirmed)).to.match(/of 100 reports/);
  });

  it("is none of a guest", async () => {
    const { token } = await guestWithToken(scene.database, scene.accountId);
    const guest = await signedIn({ url: scene.service.url, token });
    expect((await guest.get("/kept")).status).to.equal(403);
    expect((await guest.get("/usage")).html).not.to.include('href="/kept"');
  });
});
