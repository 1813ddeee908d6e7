import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import {
  countCheckedSites,
  latestReports,
  listAppliedMutings,
  listExpiring,
  previewMuting,
} from "../../../src/database/accounts/mutings.ts";
import { listCommonIssues, listIssues } from "../../../src/database/reports/issues.ts";
import { listWebPages } from "../../../src/database/reports/web-pages.ts";
import { stateTotals } from "../../../src/domain/findings/finding-state.ts";
import {
  type CheckKind,
  type CheckOutcome,
  checkKinds,
  type HtmlIssue,
} from "../../../src/domain/findings/findings.ts";
import type { MutingCriteria } from "../../../src/domain/findings/muting.ts";
import { type ElementKey, elementKey } from "../../../src/domain/identity/element-key.ts";
import { componentKey, fingerprint } from "../../../src/domain/identity/fingerprint.ts";
import { pageKey } from "../../../src/domain/identity/page-key.ts";
import { elementSelector } from "../../../src/domain/selector/element-selector.ts";
import { selectorIndex, selectorPattern } from "../../../src/domain/selector/match-selector.ts";
import { readSelector } from "../../../src/domain/selector/read-selector.ts";
import { changeMuting, deleteMuting, expireMutings } from "../../../src/transactions/change-mutings.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { engine } from "../../support/fake-runner.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { limitOf } from "../../support/wait.ts";

const START = new Date("2026-03-01T12:00:00Z");
const END = new Date("2026-04-01T12:00:00Z");
const MONTH = "2026-03-01";
const list = { limit: 100, offset: 0 };

type Part = { name: string; id?: string; classes?: string };
const at = ({ name, id = "", classes = "" }: Part, ...ancestors: Part[]): ElementKey =>
  elementKey(
    {
      name,
      attributes: [
        ["id", id],
        ["class", classes],
      ],
      ancestors,
    },
    "https://example.com",
  );
/** The last two differ in an ancestor's class only, so they share a fingerprint. */
const elements = [
  at({ name: "img", classes: "logo" }, { name: "header", id: "top" }),
  at({ name: "img" }, { name: "main" }),
  at({ name: "img" }, { name: "div", classes: "ad" }),
  at({ name: "img" }, { name: "div", classes: "card" }),
];
/** Which of the elements each selector selects: by hand. */
const selectors: Record<string, number[]> = {
  ".logo": [0],
  "#top img, main > img": [0, 1],
  ".ad img": [2],
  "div > img": [2, 3],
  "*": [0, 1, 2, 3],
  video: [],
};

type Issue = { kind: CheckKind; rule: string; text: string; elements: number[] };
type Pages = Issue[][];
const rules: Pick<Issue, "kind" | "rule" | "text">[] = [
  { kind: "html", rule: "alt", text: "The picture has no text" },
  { kind: "html", rule: "alt", text: "The picture has another fault" },
  { kind: "html", rule: "obsolete", text: "It is obsolete" },
  { kind: "a11y", rule: "image-alt", text: "Images must have text" },
];
const urlOf = (page: number) => `https://example.com/${page}`;
const printOf = (page: number, { kind, rule }: Pick<Issue, "kind" | "rule">, element: number): string =>
  fingerprint({ kind, rule, page: pageKey(urlOf(page)), element: elements[element] ?? null });
const componentOf = ({ kind, rule }: Pick<Issue, "kind" | "rule">, element: number): string =>
  componentKey({ kind, rule, element: elements[element] ?? null });

/** Whether a muting silences an element: nothing but what the documentation says. */
function silences(muting: MutingCriteria, page: number, issue: Issue, element: number): boolean {
  const { url_match, message, rule, selector, fingerprint: print, component } = muting;
  return (
    (url_match === undefined || urlOf(page).includes(url_match)) &&
    (message === undefined || issue.text.toLowerCase().includes(message.toLowerCase())) &&
    (rule === undefined || issue.rule === rule) &&
    (selector === undefined || (selectors[selector] ?? []).includes(element)) &&
    (print === undefined || print === printOf(page, issue, element)) &&
    (component === undefined || component === componentOf(issue, element))
  );
}

const outcomeOf = (kind: CheckKind, issues: readonly Issue[]): CheckOutcome => {
  const coordinates = {
    first_line: 1,
    last_line: 1,
    first_column: 1,
    last_column: 5,
    hilite_start: 0,
    hilite_length: 5,
  };
  const found = issues.filter((issue) => issue.kind === kind && issue.elements.length > 0);
  if (kind === "html")
    return {
      ...{ kind, engine },
      issues: found.map(
        ({ rule, text, elements: at }): HtmlIssue => ({
          ...{ issue_type: "error", rule: rule, message: text, help_url: null, tags: [] },
          html: at.map((index) => ({ extract: "<img>", coordinates, element: elements[index] ?? null })),
        }),
      ),
    };
  return {
    ...{ kind, engine },
    issues: found.map(({ rule, text, elements: at }) => ({
      ...{ issue_type: "error", rule, message: text, help_url: "https://x/", impact: "serious", tags: [] },
      html: at.map((index) => ({
        ...{ extract: "<img>", target: "img", failure_summary: "wrong" },
        element: elements[index] ?? null,
      })),
    })),
  };
};

describe("mutings of single findings", () => {
  let database: TestDatabase;
  let owner: { accountId: string; guestToken: null };

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    owner = { accountId: await insertAccount(database.db), guestToken: null };
  });

  async function check(reportId: string, pages: Pages): Promise<void> {
    for (const kind of checkKinds) {
      const { checks } = await leaseChecks(database.db, { reportId, kind }, 100, MONTH);
      const results = checks.map((lease) => ({
        lease,
        outcome: outcomeOf(kind, pages[Number(lease.url.split("/").at(-1))] ?? []),
      }));
      await recordOutcomes(database.db, { reportId, kind, spec: reportSpec() }, results, START);
    }
  }
  async function checked(pages: Pages): Promise<string> {
    const id = await insertReport(database.db, { accountId: owner.accountId, spec: { performA11yChecks: true } });
    await queuePages(database.db, id, new Array(pages.length).fill("p"), ["html", "a11y"]);
    await check(id, pages);
    return id;
  }
  const mute = (criteria: MutingCriteria, expiresAt: Date | null = null): Promise<string> =>
    addMuting(database.db, owner, mutingOf(criteria, { expiresAt }));
  const issuesOf = (pages: Pages) => pages.flatMap((issues, page) => issues.map((issue) => ({ ...issue, page })));

  /** What every list and counter says of a report, muted or not. */
  async function readCounts(id: string, muted: boolean) {
    const { db } = database;
    const { rows: pages } = await listWebPages(db, id, { page: list });
    const query = { muted, page: list };
    const issues = [];
    for (const page of pages) {
      const found = [
        ...(await listIssues(db, "html", page.id, query)).rows,
        ...(await listIssues(db, "a11y", page.id, query)).rows,
      ];
      for (const issue of found) {
        expect(issue.html.length, "elements that are listed").to.equal(issue.how_many);
        issues.push(`${page.url} ${issue.message}: ${issue.how_many}`);
      }
    }
    const common = [
      ...(await listCommonIssues(db, "html", id, query)).rows,
      ...(await listCommonIssues(db, "a11y", id, query)).rows,
    ];
    const affected = [];
    for (const one of common) {
      const { total } = await listWebPages(db, id, { commonIssueIds: { [one.kind]: one.id }, muted, page: list });
      affected.push(`${one.message}: ${one.how_many} on ${total}`);
    }
    return { issues: issues.sort(), common: affected.sort() };
  }

  /** The same, from what the pages have and what the mutings are. */
  function naiveCounts(pages: Pages, mutings: readonly MutingCriteria[], muted: boolean) {
    const counted = issuesOf(pages)
      .map((issue) => ({
        ...issue,
        howMany: issue.elements.filter(
          (element) => mutings.some((muting) => silences(muting, issue.page, issue, element)) === muted,
        ).length,
      }))
      .filter(({ howMany }) => howMany > 0);
    const common = Map.groupBy(counted, ({ text }) => text);
    return {
      issues: counted.map(({ page, text, howMany }) => `${urlOf(page)} ${text}: ${howMany}`).sort(),
      common: [...common]
        .map(([text, all]) => `${text}: ${all.reduce((sum, { howMany }) => sum + howMany, 0)} on ${all.length}`)
        .sort(),
    };
  }

  const expectAsNaive = async (id: string, pages: Pages, mutings: readonly MutingCriteria[]) => {
    await expectConsistent(database.db, id);
    for (const muted of [false, true])
      expect(await readCounts(id, muted), `muted: ${muted}`).to.deep.equal(naiveCounts(pages, mutings, muted));
  };

  const pageOf: fc.Arbitrary<Issue[]> = fc
    .subarray(rules, { minLength: 1 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((rule) =>
          fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }).map((found) => ({ ...rule, elements: found })),
        ),
      ),
    );
  // Most of them match something, and as many silence whole issues as single findings.
  const parts = {
    url_match: fc.constantFrom("example", "example", "com/1", "/nowhere"),
    message: fc.constantFrom("text", "PICTURE", "unknown"),
    rule: fc.constantFrom("alt", "alt", "image-alt"),
    selector: fc.constantFrom(...Object.keys(selectors)),
    fingerprint: fc
      .tuple(fc.nat({ max: 2 }), fc.constantFrom(...rules), fc.nat({ max: 3 }))
      .map(([page, rule, element]) => printOf(page, rule, element)),
    component: fc
      .tuple(fc.constantFrom(...rules), fc.nat({ max: 3 }))
      .map(([rule, element]) => componentOf(rule, element)),
  };
  const { url_match, message, rule, selector, fingerprint: print, component } = parts;
  const criteriaOf: fc.Arbitrary<MutingCriteria> = fc.oneof(
    fc.record({ url_match, message }),
    fc.record({ rule, url_match }, { requiredKeys: ["rule"] }),
    fc.record({ selector, rule, message }, { requiredKeys: ["selector"] }),
    fc.record({ fingerprint: print, url_match }, { requiredKeys: ["fingerprint"] }),
    fc.record({ component, url_match }, { requiredKeys: ["component"] }),
    fc
      .record(parts, { requiredKeys: [] })
      .filter((all) =>
        Boolean(all.rule ?? all.selector ?? all.fingerprint ?? all.component ?? (all.url_match && all.message)),
      ),
  );
  const stepOf = fc.record({
    does: fc.constantFrom(
      "mute",
      "mute",
      "mute",
      "mute",
      "change",
      "unmute",
      "recount",
      "expire",
      "check",
      "check",
      "delete page",
    ),
    criteria: criteriaOf,
    expires: fc.boolean(),
    page: fc.nat({ max: 2 }),
    found: pageOf,
  });
  type Step = typeof stepOf extends fc.Arbitrary<infer One> ? One : never;

  /** A report, and what should be in it. */
  async function startWorld(first: Pages) {
    const { db } = database;
    owner = { accountId: await insertAccount(db), guestToken: null };
    const { accountId } = owner;
    const id = await checked(first);
    const pages = structuredClone(first);
    const mutings: { id: string; criteria: MutingCriteria; expires: boolean }[] = [];
    const pageId = async (page: number) =>
      (await listWebPages(db, id, { page: list })).rows.find(({ url }) => url === urlOf(page))?.id;
    const actions: Record<Step["does"], (step: Step) => Promise<unknown>> = {
      mute: async ({ criteria, expires }) => {
        mutings.push({ id: await mute(criteria, expires ? END : null), criteria, expires });
      },
      change: async ({ criteria, expires }) => {
        const last = mutings.at(-1);
        if (!last) return;
        const next = mutingOf(criteria, { expiresAt: expires ? END : null });
        await changeMuting(db, accountId, last.id, () => next, START);
        Object.assign(last, { criteria, expires });
      },
      unmute: async () => deleteMuting(db, accountId, mutings.pop()?.id ?? "0"),
      recount: () => recountAll(db),
      expire: async () => {
        await expireMutings(db, accountId, END);
        mutings.splice(0, mutings.length, ...mutings.filter(({ expires }) => !expires));
      },
      check: async ({ page, found }) => {
        const known = await pageId(page);
        if (known === undefined) return;
        pages[page] = found;
        await requeuePage(db, id, known, START);
        await check(id, pages);
      },
      "delete page": async () => {
        const known = await pageId(0);
        if (known !== undefined) await deletePage(db, id, known, START);
        pages[0] = [];
      },
    };
    return { id, pages, mutings, act: (step: Step) => actions[step.does](step) };
  }

  it("make all counts and lists what a count by hand makes them, in whatever order things happen", async function () {
    this.timeout(limitOf(100));
    await fc.assert(
      fc.asyncProperty(
        fc.array(pageOf, { minLength: 3, maxLength: 3 }),
        fc.array(stepOf, { minLength: 3, maxLength: 10 }),
        async (first, steps) => {
          const { id, pages, mutings, act } = await startWorld(first);
          for (const step of steps) await act(step);
          await recountAll(database.db);
          await expectAsNaive(
            id,
            pages,
            mutings.map(({ criteria }) => criteria),
          );
          const applied = await listAppliedMutings(database.db, id, list);
          const useful = mutings.filter(({ criteria }) =>
            issuesOf(pages).some((issue) => issue.elements.some((one) => silences(criteria, issue.page, issue, one))),
          );
          expect(useful.map((muting) => muting.id)).to.include.members(applied.rows.map((row) => row.id));
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it("are previewed as they would count, without what others mute already, and as if a changed one muted nothing", async function () {
    this.timeout(limitOf(100));
    const { db } = database;
    await fc.assert(
      fc.asyncProperty(
        fc.array(pageOf, { minLength: 3, maxLength: 3 }),
        criteriaOf,
        criteriaOf,
        async (pages, before, wanted) => {
          owner = { accountId: await insertAccount(db), guestToken: null };
          const id = await checked(pages);
          const muted = await mute(before);
          await recountAll(db);
          const expected = (isChange: boolean) => {
            const silenced = issuesOf(pages)
              .map((issue) => ({
                ...issue,
                howMany: issue.elements.filter(
                  (one) =>
                    (isChange || !silences(before, issue.page, issue, one)) && silences(wanted, issue.page, issue, one),
                ).length,
              }))
              .filter(({ howMany }) => howMany > 0);
            const findings = silenced.reduce((sum, { howMany }) => sum + howMany, 0);
            const counted = issuesOf(pages).flatMap((issue) =>
              issue.elements.filter((one) => !silences(before, issue.page, issue, one)),
            );
            return {
              // All of them are errors.
              ...{ findings, errors: findings, report_errors: counted.length },
              issues: silenced.length,
              pages: new Set(silenced.map(({ page }) => page)).size,
            };
          };
          const { criteria } = mutingOf(wanted);
          expect(await previewMuting(db, id, criteria)).to.deep.equal(expected(false));
          expect(await previewMuting(db, id, criteria, muted)).to.deep.equal(expected(true));
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it("are applied while checkers record outcomes, without a deadlock", async () => {
    const { db } = database;
    const pages: Pages = Array.from({ length: 60 }, () =>
      rules.map((rule) => ({ ...rule, elements: [0, 1, 2, 3, 3] })),
    );
    const id = await insertReport(db, { accountId: owner.accountId, spec: { performA11yChecks: true } });
    await queuePages(db, id, new Array(pages.length).fill("p"), ["html", "a11y"]);
    const work = async (kind: CheckKind) => {
      for (;;) {
        const { checks } = await leaseChecks(db, { reportId: id, kind }, 7, MONTH);
        if (checks.length === 0) return;
        const results = checks.map((lease) => ({
          lease,
          outcome: outcomeOf(kind, pages[Number(lease.url.split("/").at(-1))] ?? []),
        }));
        await recordOutcomes(db, { reportId: id, kind, spec: reportSpec() }, results, START);
      }
    };
    const kept: MutingCriteria[] = [];
    const muting = async () => {
      for (const [index, selector] of Object.keys(selectors).entries()) {
        const criteria = { selector, ...(index % 2 === 0 && { rule: "alt" }) };
        const made = await mute(criteria);
        await recountAll(db);
        if (index % 3 === 0) kept.push(criteria);
        else await deleteMuting(db, owner.accountId, made);
      }
    };
    await Promise.all([work("html"), work("html"), work("a11y"), muting()]);
    await recountAll(db);
    await expectConsistent(db, id);
    expect((await readCounts(id, false)).common).to.deep.equal(naiveCounts(pages, kept, false).common);
  });

  it("match selectors in PostgreSQL as in the checkers", async () => {
    const name = fc.constantFrom("a", "b", "w-1.5", "2xl:p-1/2", "[&>p]:m-0", "ünï", "(x)", "a|b", "$^*+?", "-1");
    const parts = fc.record({
      name: fc.constantFrom("p", "img"),
      id: fc.constantFrom("", "x", "y.z"),
      classes: fc.array(name, { maxLength: 3 }),
    });
    const path = fc.array(parts, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(path, path, fc.boolean()), { minLength: 30, maxLength: 60 }),
        async (pairs) => {
          const wanted = pairs.map(([element, other, isSame]) => {
            const read = readSelector(elementSelector(isSame ? element.slice(0, 2) : other).replaceAll(" > ", " "));
            return "steps" in read ? read.steps : "";
          });
          const elements = pairs.map(([element]) => elementSelector(element));
          const { rows } = await sql<{ selected: boolean }>`
          select x.element ~ x.pattern as selected
          from unnest(${elements}::text[], ${wanted.map(selectorPattern)}::text[]) with ordinality as x(element, pattern, place)
          order by place`.execute(database.db);
          const here = wanted.map(
            (steps, index) => selectorIndex([{ steps, found: 1 }])(elements[index] ?? "").size === 1,
          );
          expect(rows.map(({ selected }) => selected)).to.deep.equal(here);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("are counted in comparisons, too", async () => {
    const { db } = database;
    const issue = { ...rules[0], elements: [1, 2] } as Issue;
    const base = await checked([[issue]]);
    const id = await checked([[{ ...issue, elements: [1, 2, 0] }]]);
    const counted = async () => {
      const { persisting, new: isNew } = stateTotals((await compareReports(db, id, base))?.counts ?? []);
      return [persisting.errors, isNew.errors];
    };
    expect(await counted()).to.deep.equal([2, 1]);
    await mute({ selector: ".ad img, .logo" });
    await recountAll(db);
    expect(await counted()).to.deep.equal([1, 0]);
  });

  it("end when their time is over, and not before", async () => {
    const { db } = database;
    const pages = [[{ ...rules[0], elements: [1, 2] } as Issue]];
    const id = await checked(pages);
    const criteria = { selector: ".ad img" };
    const muting = await mute(criteria, END);
    await recountAll(db);
    const before = new Date(END.getTime() - 1);
    expect(await listExpiring(db, before)).to.not.include(owner.accountId);
    expect(await expireMutings(db, owner.accountId, before)).to.equal(0);
    await expectAsNaive(id, pages, [criteria]);
    expect(await listExpiring(db, END)).to.include(owner.accountId);
    expect(await expireMutings(db, owner.accountId, END)).to.equal(1);
    expect(await expireMutings(db, owner.accountId, END)).to.equal(0);
    await recountAll(db);
    await expectAsNaive(id, pages, []);
    const longer = new Date(END.getTime() + 86_400_000);
    const change = { ...mutingOf(criteria), expiresAt: longer };
    await changeMuting(db, owner.accountId, muting, () => change, END);
    await recountAll(db);
    await expectAsNaive(id, pages, [criteria]);
  });

  it("silence again when a clock that was ahead, and ended them too early, is set right", async () => {
    const { db } = database;
    const pages = [[{ ...rules[0], elements: [1, 2] } as Issue]];
    const id = await checked(pages);
    const criteria = { selector: ".ad img" };
    await mute(criteria, END);
    await expireMutings(db, owner.accountId, END);
    await recountAll(db);
    await expectAsNaive(id, pages, []);
    // Clocks of two machines never agree: one that is a little behind changes nothing.
    const behind = new Date(END.getTime() - 30_000);
    expect(await listExpiring(db, behind)).to.not.include(owner.accountId);
    expect(await expireMutings(db, owner.accountId, behind)).to.equal(0);
    const right = new Date(END.getTime() - 3_600_000);
    expect(await listExpiring(db, right)).to.include(owner.accountId);
    expect(await expireMutings(db, owner.accountId, right)).to.equal(1);
    expect(await expireMutings(db, owner.accountId, right)).to.equal(0);
    await recountAll(db);
    await expectAsNaive(id, pages, [criteria]);
  });

  it("do not end while their account is being changed, which nobody waits for", async () => {
    const { db } = database;
    await mute({ rule: "alt" }, END);
    await db.transaction().execute(async (trx) => {
      await trx.selectFrom("accounts").select("id").where("id", "=", owner.accountId).forNoKeyUpdate().execute();
      expect(await expireMutings(db, owner.accountId, END)).to.equal(0);
    });
    expect(await expireMutings(db, owner.accountId, END)).to.equal(1);
  });

  it("end, and are created and changed, while checkers write rows that refer to the account", async () => {
    const { db } = database;
    const id = await mute({ rule: "alt" }, END);
    await db.transaction().execute(async (trx) => {
      // What a foreign key takes of the account.
      await trx.selectFrom("accounts").select("id").where("id", "=", owner.accountId).forKeyShare().execute();
      await mute({ rule: "other" });
      await changeMuting(db, owner.accountId, id, () => mutingOf({ rule: "label" }, { expiresAt: END }), START);
      expect(await expireMutings(db, owner.accountId, END)).to.equal(1);
    });
  });

  it("do not recount anything when only their comment changes", async () => {
    const { db } = database;
    const id = await mute({ selector: ".ad img", rule: "alt" }, END);
    const revision = () =>
      db.selectFrom("accounts").select("muting_revision").where("id", "=", owner.accountId).executeTakeFirstOrThrow();
    const before = await revision();
    const same = mutingOf({ rule: "alt", selector: ".ad img" }, { expiresAt: END, comment: "new" });
    await changeMuting(db, owner.accountId, id, () => same, START);
    expect(await revision()).to.deep.equal(before);
  });

  it("are recounted a few findings at a time, however many a page has", async () => {
    const { db } = database;
    const many = new Array(15_000).fill(1);
    const pages = [0, 1, 2].map(() => [{ ...rules[0], elements: many } as Issue]);
    const id = await insertReport(db, { accountId: owner.accountId });
    await queuePages(db, id, ["p", "p", "p"]);
    await check(id, pages);
    await mute({ selector: ".ad img" });
    await recountAll(db);
    // Rows that one transaction has written have the same xmin.
    const { rows } = await sql<{ transactions: number }>`
      select count(distinct xmin::text)::integer as transactions from checks
      where report_id = ${id} and kind = 'html'`.execute(db);
    expect(rows[0]?.transactions).to.equal(3);
    expect(
      (
        await listIssues(db, "html", (await listWebPages(db, id, { page: list })).rows[0]?.id ?? "", {
          muted: false,
          page: list,
        })
      ).rows[0]?.how_many,
    ).to.equal(15_000);
    await mute({ selector: "main img" });
    await recountAll(db);
    const { html_errors } = await readReport(db, id);
    expect(html_errors).to.equal(0);
  });

  it("are previewed in the latest report of each site", async () => {
    const { db } = database;
    const issue = { ...rules[0], elements: [1] } as Issue;
    const old = await checked([[issue]]);
    const newer = await checked([[issue]]);
    const other = await checked([[issue]]);
    await checked([]);
    const set = (id: string, last_checked_at: string, starting_url: string) =>
      db.updateTable("reports").set({ last_checked_at, starting_url }).where("id", "=", id).execute();
    await set(old, "2026-03-01T00:00:00Z", "https://a/");
    await set(newer, "2026-03-02T00:00:00Z", "https://a/");
    await set(other, "2026-03-03T00:00:00Z", "https://b/");
    expect((await latestReports(db, owner)).map(({ id }) => id)).to.deep.equal([other, newer]);
    expect(await countCheckedSites(db, owner)).to.equal(2);
    expect(await latestReports(db, { ...owner, guestToken: "nobody" })).to.deep.equal([]);
    expect(await countCheckedSites(db, { ...owner, guestToken: "nobody" })).to.equal(0);
  });
});
