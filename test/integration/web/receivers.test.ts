import { expect } from "chai";
import { sql } from "kysely";
import { listDue, recordAttempt, tell } from "../../../src/database/receivers/deliveries.ts";
import type { Event } from "../../../src/domain/notifications/events.ts";
import type { Outcome } from "../../../src/domain/notifications/receivers.ts";
import { type Document, guestWithToken } from "../../support/api.ts";
import { errorOf, open, type Page, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn } from "../../support/web-service.ts";

const SITE = { name: "Market hall", url: "https://shop.example/", owner: null };
const failed: Event = {
  type: "report.failed",
  data: {
    ...{ site: SITE, report_id: "00000000-0000-4000-8000-000000000000", errors: null, errors_before: null },
    ...{ new: null, fixed: null, causes: [], pages: { checked: 0, not_checked: 0 }, first_failed_limit: null },
    failure: { code: "start_failed", detail: "The site did not answer." },
  },
};

describe("Notifications' pages", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  const hook = {
    kind: "webhook",
    name: "Tickets <b>",
    url: "https://tickets.example/in?key=for-nobody",
    events: "report.failed",
  };
  const send = async (page: string, action: string, filled: Record<string, string | undefined> = {}): Promise<Page> =>
    press(scene.client, await open(scene.client, page), action, filled);
  const receivers = async (): Promise<Document["data"]> =>
    (await scene.service.as(scene.token)("GET", "/receivers")).json.data;
  /** A webhook that hears of runs that failed. @returns its path */
  const added = async (): Promise<string> => {
    await send("/receivers/new", "/receivers/new", hook);
    return `/receivers/${(await receivers()).at(-1)?.id}`;
  };
  const happens = () =>
    scene.database.db
      .transaction()
      .execute((trx) =>
        tell(trx, { accountId: scene.accountId, site: { ...SITE, tags: [] }, scheduleId: null }, [failed], new Date()),
      );
  /** Lets what is due be answered, as the worker records it. */
  const answered = async (outcome: Outcome) => {
    const sent = { headers: { "webhook-id": "msg_1" }, body: '{"type":"report.failed"}' };
    const attempt = { ...outcome, accepted: [], beganAt: new Date(), tookMs: 112, sent };
    for (const { delivery } of await listDue(scene.database.db, [], new Date()))
      await recordAttempt(scene.database.db, delivery, attempt, new Date());
  };

  it("say that nobody is told anything, and begin with one mail a day", async () => {
    const none = await open(scene.client, "/receivers");
    expect(textOf(none, "main")).to.include("Nobody is told anything.");
    const form = await open(scene.client, none('a:contains("Mail every day")').attr("href") ?? "");
    expect(form('[name="kind"]:checked').val()).to.equal("mail");
    expect(form('[name="digest"]').val()).to.equal("daily");
    const made = await press(scene.client, form, "/receivers/new", {
      name: "Web team",
      mail_addresses: "a@example.org\nb@example.org",
    });
    expect(made.status).to.equal(303);
    const [receiver] = await receivers();
    expect(receiver?.attributes).to.include({ kind: "mail", digest: "daily", time_zone: "UTC" });
    expect(receiver?.attributes.mail_addresses).to.deep.equal(["a@example.org", "b@example.org"]);
    expect(textOf(await open(scene.client, "/receivers"), "tbody"))
      .to.include("Web team")
      .and.to.include("a@example.org and 1 more");
  });

  it("show the secret of a new webhook once, and its address never with what gives access", async () => {
    const page = await send("/receivers/new", "/receivers/new", hook);
    expect(page.status).to.equal(201);
    const secret = String(page("#field-secret").val());
    expect(secret).to.match(/^whsec_/);
    const path = `/receivers/${(await receivers())[0]?.id}`;
    for (const shown of ["/receivers", path]) {
      const later = await open(scene.client, shown);
      expect(textOf(later, "main")).to.include("https://tickets.example/in?…");
      expect(later.html()).to.not.include(secret).and.to.not.include("for-nobody");
    }
    const signs = (of: string) => `${of.slice(0, 8)}…${of.slice(-3)}`;
    expect(textOf(await open(scene.client, path), "[aria-labelledby=secret]")).to.include(signs(secret));
    const renewed = await send(path, `${path}/secret`);
    expect(String(renewed("#field-secret").val()))
      .to.match(/^whsec_/)
      .and.to.not.equal(secret);
    const after = textOf(await open(scene.client, path), "[aria-labelledby=secret]");
    expect(after)
      .to.include(signs(String(renewed("#field-secret").val())))
      .and.to.not.include(signs(secret));
  });

  it("put each refusal beside its field, and keep what was typed", async () => {
    const inside = await send("/receivers/new", "/receivers/new", { ...hook, url: "https://10.0.4.12/hook" });
    expect(inside.status).to.equal(422);
    expect(errorOf(inside, "url")).to.include("inside the service's own network");
    expect(inside('[name="name"]').val()).to.equal(hook.name);
    const deaf = await send("/receivers/new", "/receivers/new", { ...hook, events: undefined });
    expect(deaf("#error-events").text()).to.include("“Hears of”");
    expect(await receivers()).to.deep.equal([]);
  });

  it("change what is typed alone: an address that is not typed again stays", async () => {
    const path = await added();
    const saved = await send(path, path, { name: "Helpdesk", tags: "shop, live", digest: "weekly" });
    expect(saved.location).to.equal(`${path}?done=saved`);
    const attributes = (await receivers())[0]?.attributes ?? {};
    expect(attributes).to.include({ name: "Helpdesk", digest: "weekly", url: "https://tickets.example/in?…" });
    expect(attributes.tags).to.deep.equal(["shop", "live"]);
  });

  it("look again for the answer to a test, and show it there and with its receiver", async () => {
    const path = await added();
    const sent = (await send(path, `${path}/test`)).location ?? "";
    expect(sent).to.match(/^\/deliveries\/[0-9a-f-]{36}$/);
    const waiting = await open(scene.client, sent);
    expect(textOf(waiting, "main")).to.include("There was none yet.");
    const again = waiting('a:contains("Look again")').attr("href") ?? "";
    await answered({ status: 503, answer: '{"error":"down <b>"}', delivered: false });
    const shown = await open(scene.client, again);
    expect(textOf(shown, "main"))
      .to.include("503")
      .and.to.include("down <b>")
      .and.to.not.include("the next follows later");
    expect(shown('a:contains("Look again")')).to.have.length(0);
    expect(textOf(await open(scene.client, path), "section:has(#test)"))
      .to.include("503 in 112 ms")
      .and.to.include("down <b>");
  });

  it("name what fails, what waits behind it, and when it is tried again", async () => {
    await added();
    await happens();
    await happens();
    await answered({ status: 503, answer: "down", delivered: false });
    const list = await open(scene.client, "/receivers");
    expect(textOf(list, ".strip"))
      .to.include("Tickets <b> has been failing since")
      .and.to.include("2 messages wait")
      .and.to.include("The next attempt is at");
    expect(textOf(list, "tbody")).to.include("failing").and.to.include("1 attempt");
    expect(textOf(list, ".tools")).to.include("1: 1 failing");
    const log = await open(scene.client, list(".strip a").attr("href") ?? "");
    expect(log("tbody tr")).to.have.length(2);
    expect(textOf(log, ".strip")).to.match(/has been failing since .*: 503\. Later messages wait/);
    const failing = await open(scene.client, log(".strip a").attr("href") ?? "");
    expect(textOf(failing, "main")).to.include("503 Service Unavailable");
    expect(textOf(log, "tbody"))
      .to.match(/waits for the one before it.*after it/)
      .and.to.include("503");
    expect(textOf(log, ".chips")).to.include("all 2");
    const chosen = await open(scene.client, log('.chip:contains("failing")').attr("href") ?? "");
    expect(chosen("tbody tr")).to.have.length(1);
  });

  it("show what a Schedule declares, to be tested and switched off, and not to be changed", async () => {
    const path = await added();
    const id = path.split("/").at(-1) ?? "";
    const schedule = await scene.service.as(scene.token)("POST", "/schedules", {
      attributes: { starting_url: SITE.url, periodicity: null },
    });
    expect(schedule.status, JSON.stringify(schedule.json)).to.equal(201);
    const scheduleId: string = schedule.json.data.id;
    await sql`update receivers set schedule_id = ${scheduleId} where id = ${id}`.execute(scene.database.db);
    expect(textOf(await open(scene.client, "/receivers"), "tbody")).to.include("runs of one schedule");
    const shown = await open(scene.client, path);
    expect(shown(`a[href="/schedules/${scheduleId}"]`)).to.have.length(1);
    const actions = shown("main form")
      .toArray()
      .map((form) => shown(form).attr("action"));
    expect(actions).to.deep.equal([`${path}/enabled`, `${path}/test`]);
    const api = scene.service.as(scene.token);
    for (const [method, at, attributes] of [
      ["PATCH", path, { name: "Mine" }],
      ["PATCH", path, { name: "Mine", enabled: false }],
      ["POST", `${path}/secret`, undefined],
      ["DELETE", path, undefined],
    ] as const) {
      const refused = await api(method, at, { attributes });
      expect([refused.status, refused.json.errors[0]?.code], `${method} ${at}`).to.deep.equal([409, "declared"]);
    }
    expect((await send(path, `${path}/enabled`)).location).to.equal(`${path}?done=switchedOff`);
    expect((await receivers())[0]?.attributes).to.include({ state: "disabled", schedule_id: scheduleId });
  });

  it("find the deliveries about a site, by its name or address", async () => {
    await added();
    await happens();
    for (const [q, rows] of [
      ["market HALL", 1],
      ["shop.example", 1],
      ["library", 0],
    ] as const)
      expect((await open(scene.client, `/deliveries?q=${encodeURIComponent(q)}`))("tbody tr"), q).to.have.length(rows);
  });

  it("find the deliveries of a period, with what was searched for besides", async () => {
    await added();
    await happens();
    await sql`update deliveries set occurred_at = now() - interval '2 days'`.execute(scene.database.db);
    for (const [from, rows] of [
      ["24h", 0],
      ["7d", 1],
      ["30d", 1],
    ] as const) {
      const page = await open(scene.client, `/deliveries?q=hall&from=${from}`);
      expect(page("tbody tr"), from).to.have.length(rows);
      expect(page("#field-from option[selected]").attr("value")).to.equal(from);
      expect(page("#field-q").attr("value")).to.equal("hall");
    }
  });

  it("show of a delivery each attempt and what was sent, give it up, and send it again", async () => {
    await added();
    await happens();
    await answered({ status: null, answer: "no answer within 15 seconds", delivered: false });
    const log = await open(scene.client, "/deliveries");
    const path = log("tbody th a").attr("href") ?? "";
    const shown = await open(scene.client, path);
    expect(textOf(shown, "main"))
      .to.include("no answer within 15 seconds")
      .and.to.include("webhook-id: msg_1")
      .and.to.include('"type": "report.failed"');
    expect((await press(scene.client, shown, `${path}/give-up`)).location).to.equal(`${path}?done=givenUp`);
    const givenUp = await open(scene.client, path);
    expect(textOf(givenUp, ".line")).to.include("given up");
    expect(givenUp(`form[action="${path}/give-up"]`)).to.have.length(0);
    await press(scene.client, givenUp, `${path}/again`);
    await answered({ status: 204, answer: "", delivered: true });
    expect(textOf(await open(scene.client, "/receivers"), "tbody"))
      .to.include("works")
      .and.to.include("204 in 112 ms");
  });

  it("switch a receiver off, say what it misses, and send that first when it is switched on again", async () => {
    const path = await added();
    expect((await send(path, `${path}/enabled`)).location).to.equal(`${path}?done=switchedOff`);
    await happens();
    const off = await open(scene.client, path);
    expect(textOf(off, ".strip")).to.include("1 message of the last 7 days was not sent");
    expect(off(`form[action="${path}/test"]`)).to.have.length(0);
    expect(textOf(await open(scene.client, "/receivers"), "tbody"))
      .to.include("disabled on")
      .and.to.include("Switch on again");
    const on = await press(scene.client, off, `${path}/enabled`, { resume: "missed" });
    expect(on.location).to.match(/^\/deliveries\/.*[?]done=switchedOn$/);
    expect(textOf(await open(scene.client, "/deliveries"), ".chips")).to.include("waiting 2");
    await send(path, `${path}/delete`);
    expect(await receivers()).to.deep.equal([]);
  });

  it("say with which answer a receiver failed until it was disabled", async () => {
    const path = await added();
    await happens();
    await answered({ status: 410, answer: "gone", delivered: false });
    await send(path, `${path}/enabled`);
    expect(textOf(await open(scene.client, path), ".strip")).to.match(
      /: disabled since .*[.] Nothing arrived since .*: 410[.]/,
    );
  });

  it("are not for guests", async () => {
    const guest = await signedIn({
      url: scene.service.url,
      token: (await guestWithToken(scene.database, scene.accountId)).token,
    });
    for (const path of ["/receivers", "/receivers/new", "/deliveries"]) {
      const page = await open(guest, path);
      expect(page.status, path).to.equal(403);
      expect(page('a[href="/receivers"]'), path).to.have.length(0);
    }
  });
});
