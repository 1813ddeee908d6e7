import { expect } from "chai";
import type { CheckStatus } from "../../../src/domain/findings/check-counts.ts";
import { pageStatuses } from "../../../src/domain/page/page-status.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const checkStatuses: readonly CheckStatus[] = ["queued", "leased", "checked", "failed"];

describe("the list of a report's pages", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let pages: string;

  /** A page for each pair of states that its checks may be in, and for each state of a single check. */
  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const { accountId, token } = await accountWithToken(database);
    call = api.as(token);
    const id = await insertReport(database.db, { accountId, spec: { performA11yChecks: true } });
    pages = `/reports/${id}/web_pages`;
    const second = [undefined, ...checkStatuses];
    for (const html of checkStatuses)
      for (const a11y of second) {
        const url = `https://example.com/${a11y}/${html}`;
        const page = {
          report_id: id,
          url,
          http_status: 200,
          linked_from: null,
          fetch_ms: a11y === "failed" ? null : 9,
        };
        const { id: web_page_id } = await database.db
          .insertInto("web_pages")
          .values(page)
          .returning("id")
          .executeTakeFirstOrThrow();
        const shared = { report_id: id, web_page_id };
        const errors = checkStatuses.indexOf(html);
        const [number, duration_ms] = [second.indexOf(a11y), (second.indexOf(a11y) * 7 + errors * 31) % 40];
        const checks = [
          {
            ...shared,
            kind: "html" as const,
            status: html,
            errors,
            duration_ms: html === "queued" ? null : duration_ms,
          },
          ...(a11y ? [{ ...shared, kind: "a11y" as const, status: a11y, errors: 10 * number, duration_ms: 50 }] : []),
        ];
        await database.db.insertInto("checks").values(checks).execute();
      }
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const listed = async (query: string) => {
    const reply = await call("GET", `${pages}?page[size]=100&${query}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json.data.map(({ id, attributes }) => ({ id, ...attributes })) as ({ id: string } & Record<
      string,
      { errors: number } | string
    >)[];
  };

  it("has under each status exactly the pages that show it", async () => {
    const all = await listed("");
    expect(all).to.have.length(20);
    for (const status of pageStatuses) {
      const wanted = all.filter((page) => page.status === status).map(({ id }) => id);
      expect(wanted, status).not.to.deep.equal([]);
      expect(
        (await listed(`filter[status]=${status}`)).map(({ id }) => id),
        status,
      ).to.deep.equal(wanted);
    }
  });

  it("is sorted by the errors of all checks, by what they took, and by URL, both ways", async () => {
    const errors = (await listed("sort=errors-desc")).map(({ html_check, a11y_check }) =>
      [html_check, a11y_check].reduce((sum, check) => sum + ((check as { errors: number } | null)?.errors ?? 0), 0),
    );
    expect(errors).to.deep.equal(errors.toSorted((a, b) => b - a));
    const durations = (await listed("sort=duration-desc")).map(({ duration_ms }) => Number(duration_ms));
    expect(new Set(durations)).to.have.property("size").above(10);
    expect(durations).to.deep.equal(durations.toSorted((a, b) => b - a));
    const urls = (await listed("sort=url-asc")).map(({ url }) => String(url));
    expect(urls).to.deep.equal(urls.toSorted());
    for (const key of ["errors", "url", "duration"]) {
      const [up, down] = await Promise.all(["asc", "desc"].map((order) => listed(`sort=${key}-${order}`)));
      expect(up).to.deep.equal(down?.toReversed());
    }
  });
});
