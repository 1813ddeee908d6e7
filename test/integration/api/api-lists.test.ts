import { expect } from "chai";
import { reportSortKeys } from "../../../src/database/reports/read-reports.ts";
import { upsertSchedule } from "../../../src/transactions/schedules.ts";
import {
  accountWithToken,
  type Call,
  type Document,
  guestWithToken,
  startTestApi,
  type TestApi,
} from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { scheduleResource } from "../../support/schedules.ts";

describe("lists of reports", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  beforeEach(async () => {
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  type Row = { url?: string; tags?: string[] } & Record<string, unknown>;

  async function addReport({ url = "https://example.com/", tags = [], ...columns }: Row = {}): Promise<string> {
    const id = await insertReport(database.db, { accountId, spec: { startingUrl: url, tags } });
    if (Object.keys(columns).length > 0) await setReport(database.db, id, columns);
    return id;
  }

  async function listed(query: string): Promise<Document> {
    const reply = await call("GET", `/reports${query}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json;
  }

  const ids = async (query: string) => (await listed(query)).data.map(({ id }) => id);

  it("come in pages, with links that keep the other parameters", async () => {
    for (let index = 0; index < 5; index += 1) await addReport({ url: `https://example.com/${index}` });
    const { data, links, meta } = await listed("?filter[url]=example&page[number]=2&page[size]=2&sort=url-asc");
    expect(data.map(({ attributes }) => attributes.starting_url)).to.deep.equal([
      "https://example.com/2",
      "https://example.com/3",
    ]);
    expect(meta).to.deep.equal({ total: 5, page_size: 2, results: null });
    const numbers = Object.entries(links).map(([name, link]) => {
      const url = new URL(link ?? "");
      expect(url.searchParams.get("filter[url]")).to.equal("example");
      expect(url.searchParams.get("sort")).to.equal("url-asc");
      expect(url.searchParams.get("page[size]")).to.equal("2");
      return [name, url.searchParams.get("page[number]")];
    });
    expect(Object.fromEntries(numbers)).to.deep.equal({ self: "2", first: "1", prev: "1", next: "3", last: "3" });
    const last = await listed("?page[number]=3&page[size]=2");
    expect([last.data.length, last.links.next]).to.deep.equal([1, null]);
    const beyond = await listed("?page[number]=9&page[size]=2");
    expect(beyond.data).to.deep.equal([]);
    expect(new URL(beyond.links.prev ?? "").searchParams.get("page[number]")).to.equal("3");
  });

  it("include an empty list", async () => {
    const { data, links, meta } = await listed("");
    expect([data, meta.total, links.prev, links.next]).to.deep.equal([[], 0, null, null]);
    expect(links.self).to.equal(`${api.url}/api/v1/reports`);
    expect(links.first).to.equal(links.last);
  });

  it("come most recently checked first, or created if never checked", async () => {
    const old = await addReport({ last_checked_at: "2026-01-01T00:00:00Z" });
    const unchecked = await addReport({ inserted_at: "2026-02-01T00:00:00Z" });
    const recent = await addReport({ inserted_at: "2025-01-01T00:00:00Z", last_checked_at: "2026-03-01T00:00:00Z" });
    expect(await ids("")).to.deep.equal([recent, unchecked, old]);
    expect(await ids("?sort=last_checked_at-asc")).to.deep.equal([old, unchecked, recent]);
  });

  it("are sorted by errors, and by warnings only where errors are equal", async () => {
    for (const engine of ["html", "a11y"]) {
      const counts = (errors: number, warnings: number) => ({
        [`${engine}_errors`]: errors,
        [`${engine}_warnings`]: warnings,
      });
      const tag = `${engine}-issues`;
      const three = await addReport({ tags: [tag], ...counts(3, 4) });
      const five = await addReport({ tags: [tag], ...counts(5, 0) });
      const fiveTwo = await addReport({ tags: [tag], ...counts(5, 2) });
      const only = `filter[tags][list]=${tag}`;
      expect(await ids(`?${only}&sort=${engine}_issues-desc`)).to.deep.equal([fiveTwo, five, three]);
      expect(await ids(`?${only}&sort=${engine}_issues-asc`)).to.deep.equal([three, five, fiveTwo]);
      expect(await ids(`?${only}&sort=${engine}_warnings-desc`)).to.deep.equal([three, fiveTwo, five]);
      expect((await ids(`?${only}&sort=${engine}_errors-asc`))[0]).to.equal(three);
    }
  });

  it("lose and repeat nothing across pages, even if entries tie", async () => {
    const all = new Set<string>();
    for (let index = 0; index < 7; index += 1) all.add(await addReport({ inserted_at: "2026-01-01T00:00:00Z" }));
    for (const key of reportSortKeys) {
      const seen: Record<string, string[]> = { asc: [], desc: [] };
      for (const direction of ["asc", "desc"])
        for (const page of [1, 2, 3, 4])
          seen[direction]?.push(...(await ids(`?sort=${key}-${direction}&page[size]=2&page[number]=${page}`)));
      expect(new Set(seen.asc), key).to.deep.equal(all);
      expect(seen.desc).to.deep.equal(seen.asc?.toReversed());
    }
  });

  it("can be filtered by tags: any, all or none of them", async () => {
    const both = await addReport({ tags: ["a", "b"] });
    const one = await addReport({ tags: ["a"] });
    const none = await addReport({ tags: ["c"] });
    const filter = (mode: string, list: string) => `?filter[tags][mode]=${mode}&filter[tags][list]=${list}`;
    expect(await ids(filter("any", "a,b"))).to.have.members([both, one]);
    expect(await ids(filter("all", "a, b"))).to.deep.equal([both]);
    expect(await ids(filter("none", "a,b"))).to.deep.equal([none]);
    expect(await ids("?filter[tags][list]=b")).to.deep.equal([both]);
    // Names come with their brackets encoded from most clients.
    expect(await ids("?filter%5Btags%5D%5Bmode%5D=all&filter%5Btags%5D%5Blist%5D=a%2Cb")).to.deep.equal([both]);
  });

  it("can be filtered by part of the starting URL, taken literally, and by schedule", async () => {
    const resource = scheduleResource();
    await upsertSchedule(database.db, resource, accountId, new Date());
    const schedule = resource.metadata.uid;
    const one = await addReport({ url: "https://Example.org/a_b", schedule_id: schedule });
    await addReport({ url: "https://example.com/axb" });
    expect(await ids("?filter[url]=A_B")).to.deep.equal([one]);
    expect(await ids("?filter[url]=example.org")).to.deep.equal([one]);
    expect(await ids("?filter[url]=nowhere")).to.deep.equal([]);
    expect(await ids(`?filter[schedule_id]=${schedule}`)).to.deep.equal([one]);
    const { data } = await listed(`?filter[schedule_id]=${schedule}`);
    expect(data[0]?.relationships.schedule?.links.related).to.equal(`${api.url}/api/v1/schedules/${schedule}`);
  });

  it("can be filtered by when they were created, by their result and pin, and by id, and be sorted by size", async () => {
    const day = (n: number) => new Date(`2026-05-0${n}T00:00:00Z`);
    const of = { phase: "Complete", crawl_state: "ended" } as const;
    const passed = await addReport({ ...of, passed: true, inserted_at: day(1), stored_bytes: "3" });
    const not = await addReport({ ...of, passed: false, inserted_at: day(2), stored_bytes: "2" });
    const free = await addReport({ ...of, inserted_at: day(3), stored_bytes: "1" });
    const failed = await addReport({ ...of, phase: "Failed", inserted_at: day(4), stored_bytes: "4" });
    const running = await addReport({ inserted_at: day(5) });
    await call("POST", "/pins", { attributes: { report_id: free, reason: "The tender" } });
    expect(await ids("?sort=bytes-asc")).to.deep.equal([running, free, not, passed, failed]);
    expect(await ids("?filter[from]=2026-05-02&filter[to]=2026-05-04")).to.have.members([not, free]);
    expect(await ids(`?filter[id]=${passed},${failed}`)).to.have.members([passed, failed]);
    expect(await ids("?filter[pinned]=true")).to.deep.equal([free]);
    expect(await ids("?filter[pinned]=false&filter[to]=2026-05-04")).to.have.members([passed, not]);
    const found = { passed, not_passed: not, no_limits: free, failed, running };
    for (const [result, id] of Object.entries(found))
      expect(await ids(`?filter[result]=${result}`), result).to.deep.equal([id]);
    const counts = { all: 5, passed: 1, not_passed: 1, no_limits: 1, failed: 1, running: 1, pinned: 1 };
    expect((await listed("?filter[result]=passed&results=true")).meta).to.deep.include({ total: 1, results: counts });
    expect((await listed("")).meta).to.deep.include({ results: null });
  });

  it("have the account's own reports, its guests' or both", async () => {
    const [first, second] = [await guestWithToken(database, accountId), await guestWithToken(database, accountId)];
    const own = await addReport();
    const ofFirst = await addReport({ guest_token: first.guestToken });
    const ofSecond = await addReport({ guest_token: second.guestToken });
    expect(await ids("")).to.deep.equal([own]);
    expect(await ids("?created_by=me")).to.deep.equal([own]);
    expect(await ids("?created_by=all")).to.have.members([own, ofFirst, ofSecond]);
    expect(await ids("?created_by=guests")).to.have.members([ofFirst, ofSecond]);
    expect(await ids(`?created_by=guests&guest_token=${first.guestToken}`)).to.deep.equal([ofFirst]);
    const both = `${first.guestToken},${second.guestToken}`;
    expect(await ids(`?created_by=guests&guest_token=${both}`)).to.have.members([ofFirst, ofSecond]);
    expect((await api.as(first.token)("GET", "/reports")).json.data.map(({ id }) => id)).to.deep.equal([ofFirst]);
  });

  it("leave out deleted reports and those of other accounts", async () => {
    await addReport({ deleted_at: new Date() });
    await insertReport(database.db);
    expect((await listed("?created_by=all")).meta.total).to.equal(0);
  });

  for (const [query, parameter] of [
    ["filter[colour]=red", "filter[colour]"],
    ["filter=x", "filter"],
    ["filter[url][x]=1", "filter[url][x]"],
    ["filter[__proto__]=1", "filter[__proto__]"],
    ["filter[url]=a&filter[url]=b", "filter[url]"],
    ["filter[url]=%00", "filter[url]"],
    ["sort=colour-asc", "sort"],
    ["sort=url", "sort"],
    ["sort=url-up", "sort"],
    ["page[number]=0", "page[number]"],
    ["page[number]=1e3", "page[number]"],
    ["page[size]=101", "page[size]"],
    ["page[size]=-1", "page[size]"],
    ["page[offset]=1", "page[offset]"],
    ["created_by=everybody", "created_by"],
    ["guest_token=x", "guest_token"],
    ["filter[tags][mode]=some&filter[tags][list]=a", "filter[tags][mode]"],
    ["filter[tags][mode]=any", "filter[tags][list]"],
    ["filter[schedule_id]=7", "filter[schedule_id]"],
    ["filter[id]=7", "filter[id]"],
    ["filter[to]=2026-02-30", "filter[to]"],
    ["filter[result]=good", "filter[result]"],
    ["filter[pinned]=yes", "filter[pinned]"],
    ["results=all", "results"],
    ["include=web_pages", "include"],
  ]) {
    it(`refuse ${query}, and name ${parameter}`, async () => {
      const reply = await call("GET", `/reports?${query}`);
      expect(reply.status).to.equal(400);
      expect(reply.json.errors[0]).to.deep.include({ status: "400", source: { parameter } });
    });
  }
});
