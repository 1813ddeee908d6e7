import { type Kysely, sql } from "kysely";
import { findBase } from "../../src/database/findings/comparisons.ts";
import type { Database } from "../../src/database/tables.ts";
import { urlOfVariant } from "../../src/domain/addresses/page-variant.ts";
import { sectionOf } from "../../src/domain/addresses/section.ts";
import type { CheckKind, CheckOutcome, Issue } from "../../src/domain/findings/findings.ts";
import { impacts } from "../../src/domain/findings/findings.ts";
import { digest } from "../../src/domain/identity/digest.ts";
import { elementKey } from "../../src/domain/identity/element-key.ts";
import { deletePage } from "../../src/transactions/change-pages.ts";
import { compareReports } from "../../src/transactions/compare.ts";
import { recordOutcomes } from "../../src/transactions/end-checks.ts";
import { endReport } from "../../src/transactions/end-report.ts";
import { leaseChecks } from "../../src/transactions/lease-checks.ts";
import { storeComponents } from "../../src/transactions/store-components.ts";
import { insertReport, reportSpec } from "./builders.ts";
import { setReport } from "./check-counts.ts";
import { addMuting, mutingOf, recountAll } from "./mutings.ts";

/** Reproducible choices: the same seed makes the same site. */
export type Dice = {
  below: (n: number) => number;
  one: <Of>(of: readonly Of[]) => Of;
  chance: (percent: number) => boolean;
};

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    // A linear congruential generator (Numerical Recipes, section 7.1).
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, one: (of) => of[below(of.length)] as (typeof of)[number], chance: (percent) => below(100) < percent };
}

const KINDS = ["html", "a11y", "links"] as const satisfies readonly CheckKind[];
const coordinates = { first_line: 1, last_line: 1, first_column: 1, last_column: 3, hilite_start: 0, hilite_length: 3 };

/** Rules with several messages, of several kinds about the same thing, in and outside of the standard, with no name. */
const rules: Record<CheckKind, readonly (Pick<Issue, "rule" | "tags"> & { messages: readonly string[] })[]> = {
  html: [
    {
      rule: "obsolete-element",
      tags: [],
      messages: ["<marquee> is obsolete.", "<center> is obsolete.", "<font> is obsolete."],
    },
    {
      rule: "missing-attribute/alt",
      tags: ["wcag2a", "wcag111"],
      messages: ["An img element must have an alt attribute."],
    },
    { rule: "empty-heading", tags: [], messages: ["Empty heading."] },
    { rule: null, tags: [], messages: ["Stray end tag div.", "Stray end tag p."] },
    { rule: "made-up", tags: [], messages: ["Something that no guide knows."] },
  ],
  a11y: [
    { rule: "image-alt", tags: ["wcag2a", "wcag111"], messages: ["Images must have alternative text"] },
    { rule: "color-contrast", tags: ["wcag2aa", "wcag143"], messages: ["Elements must meet contrast"] },
    { rule: "empty-heading", tags: ["best-practice"], messages: ["Headings should not be empty"] },
    { rule: "region", tags: ["best-practice"], messages: ["All page content should be contained by landmarks"] },
  ],
  links: [
    {
      rule: "broken-link",
      tags: ["internal"],
      messages: ["/gone responds with 404.", "/lost responds with 410.", "/late does not respond."],
    },
    { rule: "unverified-link", tags: ["external"], messages: ["https://other.example/ responds with 403."] },
  ],
};

/** What the pages of a site have, as lines that a next run mends, keeps or adds to. */
type Found = {
  kind: CheckKind;
  rule: number;
  message: number;
  type: "error" | "warning";
  impact: number;
  element: string;
  often: number;
};
type MadePage = { path: string; failed: "" | "gone" | "slow"; found: Found[] };

function anything(dice: Dice, shared: readonly string[]): Found {
  const kind = dice.one(KINDS);
  const rule = dice.below(rules[kind].length);
  return {
    ...{ kind, rule, message: dice.below(rules[kind][rule]?.messages.length ?? 1), impact: dice.below(4) },
    type: kind === "links" && rule === 1 ? "warning" : dice.chance(80) ? "error" : "warning",
    // An element in the header of each page, one of this page alone, or what cannot be told apart.
    element: dice.chance(50) ? dice.one(shared) : `own-${dice.below(1_000)}`,
    often: dice.chance(20) ? 1 + dice.below(3) : 1,
  };
}

function firstSite(dice: Dice): MadePage[] {
  const shared = ["logo", "menu", "search"];
  const folders = ["/", "/docs/", "/shop/"];
  return Array.from({ length: 3 + dice.below(5) }, (_, index): MadePage => {
    const page = `${dice.one(folders)}${index}`;
    const path = dice.chance(15)
      ? urlOfVariant(page, { state: "menu-open" })
      : dice.chance(15)
        ? urlOfVariant(page, { device: "iphone-13" })
        : page;
    const failed = dice.chance(12) ? "gone" : dice.chance(12) ? "slow" : "";
    return {
      path,
      failed: index === 0 ? "" : failed,
      found: Array.from({ length: dice.below(14) }, () => anything(dice, shared)),
    };
  });
}

/** The site some days later: some of it is mended, some is new, some pages are gone. */
function later(dice: Dice, pages: readonly MadePage[]): MadePage[] {
  return pages.flatMap((page, index) => {
    if (index > 0 && dice.chance(10)) return [];
    const failed = index > 0 && dice.chance(12) ? "gone" : index > 0 && dice.chance(10) ? "slow" : "";
    const kept = page.found.filter(() => dice.chance(75));
    const added = Array.from({ length: dice.below(4) }, () => anything(dice, ["logo", "menu"]));
    return [{ ...page, failed, found: [...kept, ...added] }];
  });
}

export type RandomSite = { reports: string[]; startingUrl: string };

/** A site in some runs, with mutings before and after them, and pages that are removed from its reports. */
export async function randomSite(db: Kysely<Database>, accountId: string, dice: Dice, now: Date): Promise<RandomSite> {
  const gate = dice.chance(60)
    ? { maxErrors: dice.below(20), maxNewErrors: dice.below(5), failOnFailedPages: true }
    : {};
  const spec = reportSpec({
    ...{ performHtmlChecks: true, performA11yChecks: true, performLinkChecks: true, gate },
    standard: dice.one(["all", "wcag22aa"] as const),
  });
  const reports: string[] = [];
  let pages = firstSite(dice);
  const howMany = 2 + dice.below(2);
  for (let run = 0; run < howMany; run += 1) {
    const at = new Date(now.getTime() - (howMany - run) * 10 * 86_400_000);
    reports.push(await runOf(db, accountId, { pages, spec, at, dice }));
    pages = later(dice, pages);
    if (dice.chance(40)) await mute(db, accountId, dice);
  }
  await recountAll(db);
  for (const report of reports)
    if (dice.chance(40)) {
      const ids = await db.selectFrom("web_pages").select("id").where("report_id", "=", report).orderBy("id").execute();
      if (ids.length > 1) await deletePage(db, report, dice.one(ids.slice(1)).id, now);
    }
  if (dice.chance(70)) await mute(db, accountId, dice);
  if (dice.chance(20)) {
    await sql`delete from mutings where id = (select min(id) from mutings where account_id = ${accountId})`.execute(db);
    await sql`update accounts set muting_revision = muting_revision + 1 where id = ${accountId}`.execute(db);
  }
  await recountAll(db);
  return { reports, startingUrl: spec.startingUrl };
}

async function mute(db: Kysely<Database>, accountId: string, dice: Dice): Promise<void> {
  const criteria = dice.one([
    { rule: "image-alt" },
    { rule: "obsolete-element" },
    { url_match: "/docs/" },
    { url_match: "/", message: "<center>" },
    { url_match: "/", message: "404" },
    { rule: "color-contrast", url_match: "/shop/" },
  ]);
  await addMuting(db, { accountId, guestToken: null }, mutingOf(criteria));
  await recountAll(db);
}

type Run = { pages: readonly MadePage[]; spec: ReturnType<typeof reportSpec>; at: Date; dice: Dice };

async function runOf(db: Kysely<Database>, accountId: string, { pages, spec, at, dice }: Run): Promise<string> {
  const id = await insertReport(db, { accountId, spec });
  await sql`update reports set inserted_at = ${at} where id = ${id}`.execute(db);
  const byUrl = new Map<string, MadePage>();
  const pageIds: string[] = [];
  for (const page of pages) {
    const url = `https://example.com${page.path}`;
    byUrl.set(url, page);
    const http_status = page.failed === "gone" ? 404 : 200;
    const values = {
      report_id: id,
      url,
      section: sectionOf(url),
      http_status,
      fetched: page.failed === "",
      linked_from: null,
    };
    pageIds.push((await db.insertInto("web_pages").values(values).returning("id").executeTakeFirstOrThrow()).id);
  }
  for (const reason of ["robots", "off_site", "page_limit"] as const)
    for (let n = dice.below(4); n > 0; n -= 1)
      await db
        .insertInto("excluded_urls")
        .values({ report_id: id, url: `https://example.com/${reason}/${n}`, linked_from: null, reason })
        .execute();
  await sql`update reports set crawl_state = 'ended', num_pages = ${pages.length}, crawl_started_at = ${at}, crawl_ended_at = ${at} where id = ${id}`.execute(
    db,
  );
  for (const kind of KINDS) {
    const rows = pageIds.map((web_page_id) => ({ report_id: id, web_page_id, kind }));
    await db.insertInto("checks").values(rows).execute();
    await setReport(db, id, { [`${kind}_pending`]: pageIds.length });
    const { checks } = await leaseChecks(db, { reportId: id, kind }, 100, "2026-05-01");
    const results = checks.map((lease) => {
      const page = byUrl.get(lease.url);
      if (!page) throw new Error(`There is no page ${lease.url}.`);
      return { lease, outcome: outcomeOf(kind, page) };
    });
    await recordOutcomes(db, { reportId: id, kind, spec }, results, at);
  }
  const base = await findBase(db, id);
  const compared = base === undefined ? undefined : await compareReports(db, id, base);
  if (!(await endReport(db, id, "Complete", at, compared?.id))) throw new Error("The report did not end.");
  await storeComponents(db, id, compared?.id ?? null);
  return id;
}

function outcomeOf(kind: CheckKind, page: MadePage): CheckOutcome {
  if (page.failed === "gone")
    return { kind, failure: { code: "http_error", detail: "It responded with 404." }, httpStatus: 404 };
  if (page.failed === "slow") return { kind, failure: { code: "timeout", detail: "It took too long." } };
  const ofKind = page.found.filter((found) => found.kind === kind);
  const alike = Map.groupBy(ofKind, ({ rule, message, type, impact }) =>
    [rule, message, type, kind === "a11y" ? impact : ""].join(" "),
  );
  const issues = [...alike.values()].map((group): Issue => {
    const [first] = group as [Found, ...Found[]];
    const rule = rules[kind][first.rule];
    return {
      ...{
        issue_type: first.type,
        rule: rule?.rule ?? null,
        message: rule?.messages[first.message] ?? "",
        tags: [...(rule?.tags ?? [])],
      },
      help_url: kind === "a11y" ? "https://example.org/" : null,
      ...(kind === "a11y" && { impact: impacts[first.impact] ?? "minor" }),
      html: group.flatMap(({ element, often }) => Array.from({ length: often }, () => elementOf(kind, element))),
    };
  });
  return { kind, engine: { name: kind, version: "1" }, issues };
}

function elementOf(kind: CheckKind, name: string) {
  const extract = `<img class="${name}">`;
  const key = elementKey({ name: "img", attributes: [["class", name]], ancestors: [] }, "https://example.com");
  return {
    ...{ extract, element: { tag: key.tag, path: digest([name]) } },
    ...(kind === "a11y"
      ? { target: `.${name}`, failure_summary: "Mend it." }
      : { coordinates: { ...coordinates, hilite_length: extract.length } }),
  };
}
