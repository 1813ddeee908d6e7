import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import type { Attributes, List, One } from "../../../src/api/documents.ts";
import { checkKinds, manifestOf, nounOf } from "../../../src/checks/kinds.ts";
import { leftOutTexts } from "../../../src/domain/coverage/left-out.ts";
import { rulesByTopic } from "../../../src/domain/findings/fault.ts";
import { findingStates } from "../../../src/domain/findings/finding-state.ts";
import { perPage } from "../../../src/web/parts/rates.ts";
import { texts } from "../../../src/web/texts/en.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { type Counted, countAll } from "../../support/numbers.ts";
import { diceOf, randomSite } from "../../support/random-runs.ts";
import { limitOf } from "../../support/wait.ts";
import { open, type Page, startTestPages } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

// More than ten seconds of processor time: each of some sites in several runs is walked with all of its pages, API and exports.

const RUNS = 3;
const now = new Date("2026-05-05T12:00:00Z");

/** A number as it is shown, and what it has to be. */
type Claim = [shown: string | undefined, expected: number | string];
/** Where numbers stand on a page: what is selected has no other numbers than those that the pattern reads. */
type Place = {
  select: string;
  pattern: RegExp;
  /** @param of the selected element */
  claims: (groups: Record<string, string | undefined>, of: { page: Page; row: Row; index: number }) => Claim[];
};

/** What has digits and is no number of a report: times, addresses, source, criteria, what engines say, settings, drawings. */
const NOT_COUNTED = [
  ...[
    "time",
    "code",
    "pre",
    ".url",
    "select",
    "script",
    "style",
    ".small.quiet.block",
    ".no",
    ".wcag",
    "svg",
    "form.filters",
  ],
  // Not here: causes take its place.
  ...[
    '[aria-labelledby="fix-first"]',
    "header",
    "footer",
    "h1",
    ".crumbs",
    ".fixes .quiet code",
    "details.menu",
    ".tag.standard",
  ],
].join(", ");
const NAMES =
  /WCAG \d\.\d|(?<![\d.])\d\.\d\.\d{1,2}(?!\d)|HTML\d|h\d\b|RFC \d+|Section \d+|EN \d+ \d+|\b(?:404|410|403)\b/g;

const DATES = /\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?: \d{4}, \d\d:\d\d UTC)?/g;

/** "25 Apr" of a day in the API. */
const dayText = (date: string) => {
  const at = new Date(`${date}T12:00:00Z`);
  return `${at.getUTCDate()} ${"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
};

const n = (text: string | undefined) => (text ?? "").replaceAll(",", "");

describe("Every number on every page, in the API, in exports and in the file of a report", () => {
  let database: TestDatabase;
  let service: TestApi;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { now: () => now });
  });
  after(async () => {
    await service?.close();
    await database?.drop();
  });

  it("is what plain SQL counts, and none is shown that is not in the table", async function () {
    this.timeout(limitOf(300));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
        await emptyDatabase(database.db);
        const { accountId, token } = await accountWithToken(database);
        const { reports } = await randomSite(database.db, accountId, diceOf(seed), now);
        const client = await signedIn({ url: service.url, token });
        const api = <Document>(path: string) =>
          service
            .as(token)("GET", path)
            .then(({ json }) => json as unknown as Document);
        const counts = new Map<string, Counted>();
        for (const report of reports) counts.set(report, await countAll(database.db, report));
        const reader: Reader = { client, problems: [] };
        for (const report of reports) await walkReport({ reader, api, report, counts });
        await walkSites({ reader, api, reports, counts });
        const newest = reports.at(-1) ?? "";
        const walked = { reader, api, report: newest, counts };
        await walkConformance(walked);
        await walkMutings(walked);
        await walkMonth(database.db, walked);
        await database.db.updateTable("reports").set({ phase: "Checking" }).where("id", "=", newest).execute();
        await walkLive(walked);
        if (reader.problems.length > 0) throw new Error(reader.problems.join("\n"));
      }),
      { numRuns: RUNS, endOnFailure: true, seed: 2_026 },
    );
  });
});

type Row = Parameters<Page>[0] & string;

/** Who reads pages, and what is wrong on them. */
type Reader = { client: WebClient; problems: string[] };
type Walk = {
  reader: Reader;
  api: <Document>(path: string) => Promise<Document>;
  report: string;
  counts: ReadonlyMap<string, Counted>;
};

/** Reads all places of a page, and requires that no other number is left on it. */
async function walk({ client, problems }: Reader, path: string, places: readonly Place[]): Promise<void> {
  const page = await open(client, path);
  expect(page.status, path).to.equal(200);
  const left: string[] = [];
  const textOf = (element: ReturnType<Page>) => element.text().replace(/\s+/g, " ").trim();
  // A drawing says its numbers in words, before drawings are left out.
  page("[role=img][aria-label]").each((_, drawing) => {
    const label = page(drawing).attr("aria-label") ?? "";
    page(drawing).closest(".plot, svg").replaceWith(page("<p class=drawing></p>").text(label));
  });
  page("main").find(NOT_COUNTED).remove();
  for (const { select, pattern, claims } of places) {
    const found = page("main").find(select).toArray();
    for (const [index, element] of found.entries()) {
      let rest = textOf(page(element));
      rest = rest.replace(pattern, (...parts) => {
        const groups = (parts.at(-1) ?? {}) as Record<string, string | undefined>;
        for (const [shown, expected] of claims(groups, { page, row: element as Row, index }))
          if (n(shown) !== String(expected))
            problems.push(`${path} ${select}: “${parts[0]}” says ${shown}, SQL counts ${expected}`);
        return "";
      });
      if (/\d/.test(rest.replace(NAMES, ""))) left.push(`${select}: ${rest}`);
      page(element).remove();
    }
  }
  const others = textOf(page("main")).replace(NAMES, "");
  for (const [around] of others.matchAll(/.{0,60}\d.{0,40}/g)) left.push(around);
  problems.push(...left.map((one) => `${path} has a number that is not in the table: ${one}`));
}

const N = "[\\d,]+";
const pattern = (text: string) => new RegExp(text.replaceAll("#", N), "g");

/** The tabs of every page of a report. */
function tabs(c: Counted): Place {
  const some = (value: number) => (value === 0 ? "" : value);
  return {
    select: "nav.tabs",
    pattern: new RegExp(
      `^.*Changes(?: (?<fresh>${N}) new)?.*?Pages(?: (?<pages>${N}))?.*?Not checked(?: (?<failed>${N}))?$`,
    ),
    claims: ({ fresh, pages, failed }) => [
      [fresh, some(c("errorsByState", "new"))],
      [pages, some(c("found"))],
      [failed, some(c("notChecked"))],
    ],
  };
}

async function walkReport({ reader, api, report, counts }: Walk): Promise<void> {
  const c = counts.get(report) as Counted;
  const { data } = await api<One<"report">>(`/reports/${report}`);
  const a = data.attributes;
  // The API.
  for (const kind of checkKinds) {
    const found = a.checks[kind];
    expect(found?.issues, `${kind} in the API`).to.include({
      errors: c("errorsByKind", kind),
      warnings: c("warningsByKind", kind),
    });
    expect(found?.status.checked, `${kind} checked`).to.equal(c("checkedByKind", kind));
  }
  expect(a.num_pages).to.equal(c("found"));
  expect(a.coverage?.pages).to.deep.include({
    checked: c("checked"),
    failed: c("checkFailed"),
    without_page: c("withoutPage"),
  });
  expect(Object.values(a.coverage?.pages.left_out ?? {}).reduce((sum, one) => sum + one, 0)).to.equal(c("leftOut"));
  for (const role of ["content", "template", "design"] as const)
    expect(a.roles?.[role], role).to.equal(c("errorsByRole", role));
  for (const state of Object.keys(findingStates) as (keyof typeof findingStates)[])
    if (a.comparison)
      expect(a.comparison.states[state], state).to.deep.equal({
        errors: c("errorsByState", state),
        warnings: c("warningsByState", state),
      });
  await walkExports(reader.client, report, c);
  const base = a.comparison ? counts.get(a.comparison.base_id) : undefined;

  await walk(reader, `/reports/${report}`, summaryPlaces(a, c, counts));
  await walkFile({ reader, api, report, counts }, c, a);
  await walkIssues({ reader, api, report, counts }, c, a);
  await walk(reader, `/reports/${report}/pages`, await pagesPlaces(api, report, c));
  await walkPages({ reader, api, report, counts }, c);
  await walk(reader, `/reports/${report}/failed`, failedPlaces(c));
  if (a.comparison && base) await walkChanges({ reader, api, report, counts }, c, base, a);
}

/** Elements in rows of exports, which have all that is counted and, marked, what is muted. */
async function walkExports(client: WebClient, report: string, c: Counted): Promise<void> {
  const lines = (await client.get(`/reports/${report}/export.ndjson`)).html.trim().split("\n").filter(Boolean);
  type Row = { issue_type: string; outside_standard: boolean; muted: boolean; how_many: number };
  const rows = lines.map((line) => JSON.parse(line) as Row);
  const sum = (which: (row: Row) => boolean) => rows.filter(which).reduce((total, { how_many }) => total + how_many, 0);
  const counted = rows.length > 0 ? sum((row) => !row.muted && !row.outside_standard && row.issue_type === "error") : 0;
  expect(counted, "errors in NDJSON").to.equal(c("errors"));
  expect(
    sum((row) => !row.muted && row.outside_standard),
    "outside of the standard in NDJSON",
  ).to.equal(c("outside"));
}

const kindNamed = (title: string | undefined) =>
  checkKinds.find((kind) => manifestOf(kind).texts.title === title?.trim()) ?? "";

/** The text of a row's cells: those below headings, without what stands in them in words. */
const cellsOf = (page: Page, row: Parameters<Page>[0]) =>
  page(row as string)
    .find("th, td")
    .toArray()
    .map((cell) => page(cell).text().replace(/\s+/g, " ").trim());

function reasonNamed(text: string | undefined): string {
  return Object.entries(leftOutTexts).find(([, { counted }]) => counted === text?.trim())?.[0] ?? "";
}
/** Claims of those groups that are there. */
const given = (...claims: (Claim | false)[]): Claim[] =>
  claims.filter((one): one is Claim => one !== false && one[0] !== undefined);

function sentence(a: Attributes<"report">, c: Counted): Place {
  return {
    select: "p.verdict",
    pattern: pattern("(?<counted>#) [^\\d,]+, limit (?<limit>#)|(?<errors>#) errors?(?:, (?<warnings>#) warnings?)?"),
    claims: ({ errors, warnings, counted, limit }) => {
      const broken = a.gate_results?.find(({ passed }) => passed === false);
      return given(
        [errors, c("errors")],
        [warnings, c("warnings")],
        [counted, broken?.counted ?? ""],
        [limit, Number(broken?.limit ?? 0)],
      );
    },
  };
}

function summaryPlaces(
  a: Attributes<"report">,
  c: Counted,
  counts: ReadonlyMap<string, Counted>,
  isFile = false,
): Place[] {
  const [errors, all] = [c("errors"), c("errors") + c("warnings")];
  const then = (key: "errors" | "warnings") =>
    Object.values(a.at_end?.checks ?? {}).reduce((sum, one) => sum + (one?.[key] ?? 0), 0);
  const endOf = (state: "new" | "fixed") => a.at_end?.comparison?.states[state].errors ?? 0;
  const compared: Place["claims"] = (g) =>
    given(
      [g.fresh, c("errorsByState", "new")],
      [g.freshEnd, endOf("new")],
      [g.fixed, c("errorsByState", "fixed")],
      [g.fixedEnd, endOf("fixed")],
    );
  const newAndFixed =
    "(?<fresh>#) new(?: \\((?<freshEnd>#) when it ended(?:, # of them muted now)?\\))?, (?<fixed>#) fixed(?: \\((?<fixedEnd>#) when it ended(?:, # of them muted now)?\\))?";
  return [
    ...(isFile ? [] : [tabs(c)]),
    {
      select: ".verdict ~ p.quiet",
      pattern: pattern(
        `${newAndFixed}|(?<of>#) of (?<pages>#) pages? checked|(?<failed>#) could not be checked|(?<without>#) address(?:es)? without a page|(?<left>#) (?<reason>of other sites|not allowed by robots.txt|beyond the limit of pages|removed from the report)`,
      ),
      claims: (g, of) => [
        ...compared(g, of),
        ...given(
          [g.of, c("checked")],
          [g.pages, c("pages")],
          [g.failed, c("notChecked")],
          [g.without, c("withoutPage")],
        ),
        ...given([g.left, c("leftOutByReason", reasonNamed(g.reason))]),
      ],
    },
    sentence(a, c),
    {
      select: "[data-notice]",
      pattern: pattern(
        "Pages could not be checked(?: \\((?<failed>#)\\))?|\\((?<other>#)\\)|and # more|for pages \\w+|\\b#\\b",
      ),
      claims: (g) => given([g.failed, c("notChecked")]),
    },
    {
      select: "details:has([data-notice])",
      pattern: pattern("# notes?"),
      claims: () => [],
    },
    {
      select: "a.tile",
      pattern: pattern(
        "^Errors (?<errors>#) .*?(?<rate>#[.]#) per page|Critical (?<critical>#) (?<share>#)% of errors and warnings|Causes (?<causes>#) (?:changes that remove|a change that removes) all (?<removed>#)|New errors (?<fresh>#) (?<fixed>#) fixed since|Pages checked (?<checked>#) of (?<pages>#)|, limit #",
      ),
      claims: (g) =>
        given(
          [g.errors, errors],
          [g.rate, perPage(errors, c("checked"))],
          [g.causes, c("causes")],
          [g.removed, errors],
          [g.critical, c("byImpact", "critical")],
          [g.share, Math.round((c("byImpact", "critical") / Math.max(1, all)) * 100)],
          [g.fresh, c("errorsByState", "new")],
          [g.fixed, c("errorsByState", "fixed")],
          [g.checked, c("checked")],
          [g.pages, c("pages")],
        ),
    },
    {
      select: '[aria-labelledby="who"] li',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [shown, share] = [page(row).find("b.n").text(), page(row).find("span.n").text()];
        const role = (["content", "template", "design"] as const).find((name) => page(row).text().includes(name)) ?? "";
        expect(share, "a share in percent").to.match(/^\d+%$/);
        return [[shown, c("errorsByRole", role)]];
      },
    },
    {
      select: '[aria-labelledby="parts"] li',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [shown, pages] = [page(row).find("b.n").text(), page(row).find("span.n").text()];
        const name = page(row).find("a > span").first().text().trim();
        const section = name === "in no folder" ? "/" : name;
        return name === "whole site"
          ? [
              [shown, errors],
              [pages, c("found")],
            ]
          : [
              [shown, c("errorsBySection", section)],
              [pages, c("pagesBySection", section)],
            ];
      },
    },
    {
      select: '[aria-labelledby="summary"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [name, found, warned, checked] = cellsOf(page, row);
        const kind = kindNamed(name);
        const [of, pages] = (checked ?? "").split(" of ");
        return [
          [found, c("errorsByKind", kind)],
          [warned, c("warningsByKind", kind)],
          [of, c("checkedByKind", kind)],
          [pages, Math.max(c("pages"), c("checkedByKind", kind))],
        ];
      },
    },
    {
      select:
        'p.quiet:contains("outside the standard"), p.quiet:contains("Muted now"), p.quiet:contains("Counted when")',
      pattern: pattern(
        "(?<outside>#) outside the standard|Muted now, and not counted: (?<merr>#) errors?, (?<mwarn>#) warnings?|Counted when it ended: (?<eerr>#) errors?, (?<ewarn>#) warnings?",
      ),
      claims: (g) =>
        given(
          [g.outside, c("outside")],
          [g.merr, c("mutedErrors")],
          [g.mwarn, c("mutedWarnings")],
          [g.eerr, then("errors")],
          [g.ewarn, then("warnings")],
        ),
    },
    {
      select: '.card:contains("Nothing wrong was found")',
      pattern: pattern("on (?<checked>#) pages?"),
      claims: (g) => [[String(errors + c("warnings")), 0], ...given([g.checked, c("checked")])],
    },
    {
      select: '[aria-labelledby^="severity-"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [name, shown] = cellsOf(page, row);
        return [[shown, c("byImpact", name)]];
      },
    },
    {
      select: '[aria-labelledby="gate"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [name, , , , today] = cellsOf(page, row);
        const isNow = {
          Errors: c("errors"),
          "New errors": c("errorsByState", "new"),
          "Addresses with a check that failed": c("checkFailed"),
        }[name ?? ""];
        return today === undefined || isNow === undefined || /^(?:–.*)?$/.test(today)
          ? []
          : [[today.split(",")[0], isNow]];
      },
    },
    {
      select: '[aria-labelledby="comparison"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => stateClaims(c, cellsOf(page, row)),
    },
    { select: '[aria-labelledby="comparison"]', pattern: pattern(newAndFixed), claims: compared },
    {
      select: '[aria-labelledby="trend"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [, found, warned] = cellsOf(page, row);
        const id = page(row).find("a").attr("href")?.split("/").at(-1);
        const of = id === undefined ? c : (counts.get(id) as Counted);
        return [
          [found?.split(" ")[0], of("errors")],
          [warned?.split(" ")[0], of("warnings")],
        ];
      },
    },
    {
      select: '[aria-labelledby="trend"] .drawing',
      pattern: pattern("(?<runs>#(?:, #)*)$"),
      claims: (g) => [[(g.runs ?? "").replaceAll(", ", " "), [...counts.values()].map((of) => of("errors")).join(" ")]],
    },
    { select: '[aria-labelledby="trend"]', pattern: pattern("# runs?"), claims: () => [] },
    {
      select: '[aria-labelledby="criteria"] > ul.line',
      pattern: pattern("(?<fail>#) fail|(?<nothing>#) nothing found|(?<not>#) not judged"),
      claims: () => [],
    },
    { select: "details:contains('Settings and versions')", pattern: /\d+/g, claims: () => [] },
  ];
}

function stateClaims(c: Counted, [name, errors, warnings, ...rest]: readonly (string | undefined)[]): Claim[] {
  const state = Object.entries(texts.states).find(([, text]) => text === name)?.[0] ?? "";
  return [
    [errors, c("errorsByState", state)],
    [warnings, c("warningsByState", state)],
    ...(rest.length > 1 ? ([[rest[0], c("mutedByState", state)]] as Claim[]) : []),
  ];
}

/** The rules of a list: how many elements, pages and new ones each has. */
function rulesPlace(
  c: Counted,
  api: readonly Attributes<"report_rule">[],
  select = "section:has(.rules-head) ol.rules > li",
): Place {
  return {
    select,
    pattern: /^(?<rest>.*)$/g,
    claims: (_, { page, row }) => {
      const title = page(row).find("a").first().text().trim();
      const [shown, pages] = [page(row).find("b.n").text(), page(row).find("span.n").text()].map((text) =>
        text.replace(/[^\d,]/g, ""),
      );
      const named = api.filter((rule) => rule.title === title);
      expect(named, `rules that are called ${title}`).to.not.be.empty;
      const fits = named.some(
        (rule) => String(c("byRule", keyOf(rule))) === shown && String(c("pagesByRule", keyOf(rule))) === pages,
      );
      return [[fits ? "as counted" : `${title}: ${shown} on ${pages}`, "as counted"]];
    },
  };
}

function keyOf({
  kind,
  rule,
  message,
  issue_type,
  outside_standard,
}: Pick<Attributes<"report_rule">, "kind" | "rule" | "message" | "issue_type" | "outside_standard">) {
  return [kind, rule ?? message, issue_type, outside_standard ? "t" : "f"].join(" ");
}

/** Of a row: its rules by name, as SQL has them. */
function topicKey({ rules, issue_type, outside_standard }: Attributes<"report_rule">): string {
  const [first] = rules;
  const of = rulesByTopic.find(({ kind, rule }) => kind === first?.kind && rule === first.rule);
  const name = of ? `topic ${of.topic}` : `${first?.kind} ${first?.rule ?? first?.message}`;
  return [name, issue_type, outside_standard ? "t" : "f"].join(" ");
}

const allOf = (counts: Record<string, number>, of: (key: string) => number) => {
  for (const [key, value] of Object.entries(counts)) expect(value, key).to.equal(of(key));
};

async function walkIssues({ reader, api, report }: Walk, c: Counted, a: Attributes<"report">): Promise<void> {
  const { data, meta } = await api<List<"report_rule">>(`/reports/${report}/rules?page[size]=100`);
  const outside = await api<List<"report_rule">>(
    `/reports/${report}/rules?page[size]=100&filter[outside_standard]=true`,
  );
  const { data: topics } = await api<List<"report_rule">>(`/reports/${report}/rules?page[size]=100&group=topic`);
  for (const { attributes: topic } of topics) {
    expect(topic.how_many, topicKey(topic)).to.equal(c("byTopic", topicKey(topic)));
    expect(topic.num_pages, topicKey(topic)).to.equal(c("pagesByTopic", topicKey(topic)));
    for (const rule of topic.rules)
      expect(rule.how_many, keyOf({ ...topic, ...rule })).to.equal(c("byRule", keyOf({ ...topic, ...rule })));
  }
  for (const { attributes: rule } of [...data, ...outside.data]) {
    expect(rule.how_many, keyOf(rule)).to.equal(c("byRule", keyOf(rule)));
    expect(rule.num_pages, keyOf(rule)).to.equal(c("pagesByRule", keyOf(rule)));
    if (rule.states) expect(rule.states.new, keyOf(rule)).to.equal(c("newByRule", keyOf(rule)));
  }
  expect(meta.how_many).to.equal(c("errors") + c("warnings"));
  expect(meta.counts.outside_standard).to.equal(c("outside"));
  expect(meta.counts.muted).to.deep.equal({
    true: c("mutedErrors") + c("mutedWarnings"),
    false: c("errors") + c("warnings"),
  });
  allOf(meta.counts.kind, (kind) => c("byKind", kind));
  allOf(meta.counts.impact, (impact) => c("byImpact", impact));
  allOf(meta.counts.issue_type, (type) => c("byType", type));
  allOf(meta.counts.role, (role) => c("byRole", role));
  if (a.comparison) allOf(meta.counts.state, (state) => c("byState", state));

  const path = `/reports/${report}/issues`;
  await walk(reader, path, [
    tabs(c),
    ...chipPlaces(meta.counts),
    {
      select: ".rules-head h2",
      pattern: pattern("^(?<rules>#) rules?, (?<shown>#) findings?$"),
      claims: ({ rules, shown }) => [
        [rules, c("topics")],
        [shown, c("errors") + c("warnings")],
      ],
    },
    {
      select: "ol.rules summary",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [title, shown, pages] = ["span b", "b.n", "span.n"].map((part) =>
          page(row).find(part).first().text().trim(),
        );
        const told = [shown, pages].map((text) => text?.replace(/[^\d,]/g, ""));
        const fits = topics.some(
          ({ attributes: topic }) =>
            topic.title === title &&
            String(c("byTopic", topicKey(topic))) === told[0] &&
            String(c("pagesByTopic", topicKey(topic))) === told[1],
        );
        return [[fits ? "as counted" : `${title}: ${told.join(" on ")}`, "as counted"]];
      },
    },
    componentsPlace(c),
    {
      select: ".inside > .rows > li",
      pattern: pattern(": (?<shown>#) findings?"),
      claims: ({ shown }, { page, row }) => {
        const [kind, id] = (page(row).find("a").attr("href") ?? "").split("/").slice(-2);
        const rule = topics
          .flatMap(({ attributes: { rules, ...of } }) => rules.map((one) => ({ ...of, ...one })))
          .find((one) => one.kind === kind && one.common_issue_id === id);
        return [[shown, rule ? c("byRule", keyOf(rule)) : "a rule of the list"]];
      },
    },
    { select: ".inside > .guide", pattern: /\d+/g, claims: () => [] },
    {
      select: "p.quiet",
      pattern: pattern("(?<shown>#) findings? (?:(?<muted>is muted|are muted)|outside)"),
      claims: ({ shown, muted }) => [[shown, muted ? c("mutedErrors") + c("mutedWarnings") : c("outside")]],
    },
  ]);
  await walkChips({ reader, api, report });
  for (const rule of [...data, ...outside.data]) {
    const id = rule.relationships.common_issue.links.related.split("/").at(-1);
    const { attributes: of } = rule;
    await walk(reader, `${path}/${of.kind}/${id}`, [
      tabs(c),
      {
        select: "ul.line li",
        pattern: pattern("(?<shown>#) findings?, (?<pages>#) pages?"),
        claims: (g) =>
          of.rule === null ? [] : given([g.shown, c("byRule", keyOf(of))], [g.pages, c("pagesByRule", keyOf(of))]),
      },
      { select: "section.guide", pattern: /\d+/g, claims: () => [] },
      {
        select: '[aria-labelledby="pages"] h2',
        pattern: pattern(": (?<pages>#)"),
        claims: (g) => (of.rule === null ? [] : given([g.pages, c("pagesByRule", keyOf(of))])),
      },
      {
        select: '[aria-labelledby="elements"] .cards > li > p:first-child',
        pattern: pattern("(?<shown>#) findings?, (?<pages>#) pages?"),
        claims: (g, { page, row }) => {
          const component = page(row).find("a").attr("href")?.split("/").at(-1);
          const key = `${component} ${keyOf(of)}`;
          return given([g.shown, c("byRuleAndComponent", key)], [g.pages, c("pagesByRuleAndComponent", key)]);
        },
      },
      {
        select: '[aria-labelledby="elements"]',
        pattern: pattern("Elements: #|Line #, column #|# to # of #"),
        claims: () => [],
      },
    ]);
  }
}

/** The report as one file: the same parts, and a section for each rule. */
async function walkFile({ reader, api, report, counts }: Walk, c: Counted, a: Attributes<"report">): Promise<void> {
  const [counted, outside] = await Promise.all(
    ["false", "true"].map((is) =>
      api<List<"report_rule">>(`/reports/${report}/rules?page[size]=100&filter[outside_standard]=${is}`),
    ),
  );
  const rules = [...(counted?.data ?? []), ...(outside?.data ?? [])].map(({ attributes }) => attributes);
  await walk(reader, `/reports/${report}/export.html`, [
    ...summaryPlaces(a, c, counts, true),
    {
      select: ".rules-head h2",
      pattern: pattern("^(?<kind>\\w+)(?<outside>, outside the standard)?: (?<rules>#) rules?$"),
      claims: (g) => [[g.rules, c(g.outside ? "outsideRulesByKind" : "rulesByKind", kindNamed(g.kind))]],
    },
    rulesPlace(c, rules),
    {
      select: "section.rule > ul.line",
      pattern: pattern("(?<shown>#) findings?, (?<pages>#) pages?"),
      claims: (g, { page, row }) => {
        const title = page(row).parent().find("h2").text();
        const fits = rules.some(
          (rule) =>
            rule.title === title &&
            String(c("byRule", keyOf(rule))) === n(g.shown) &&
            String(c("pagesByRule", keyOf(rule))) === n(g.pages),
        );
        return [[fits ? "as counted" : `${title}: ${g.shown} on ${g.pages}`, "as counted"]];
      },
    },
    { select: "section.rule", pattern: /\d+/g, claims: () => [] },
    { select: "#failed", pattern: pattern(": (?<shown>#)"), claims: (g) => [[g.shown, c("notChecked")]] },
    { select: "#without", pattern: pattern(": (?<shown>#)"), claims: (g) => [[g.shown, c("withoutPage")]] },
    {
      select: "[aria-labelledby=failed], [aria-labelledby=without], [aria-labelledby=muted]",
      pattern: /\d+/g,
      claims: () => [],
    },
    { select: '[aria-labelledby^="page-"]', pattern: /\d+/g, claims: () => [] },
  ]);
}

const componentsPlace = (c: Counted): Place => ({
  select: ".fixes > li",
  pattern: pattern("(?<shown>#) (?:errors?|findings?), (?<pages>#) pages?|\\d\\.\\d\\.\\d+"),
  claims: (g, { page, row }) => {
    const component = page(row).find("h3 a").attr("href")?.split("/").at(-1);
    return given([g.shown, c("byComponent", component)], [g.pages, c("pagesByComponent", component)]);
  },
});

type RuleCounts = List<"report_rule">["meta"]["counts"];
const chipNames: Record<string, (counts: RuleCounts) => Record<string, number>> = {
  impact: ({ impact }) => impact,
  type: ({ issue_type, outside_standard }) => ({ ...issue_type, outside: outside_standard }),
  state: ({ state }) => state,
  kind: ({ kind }) => kind,
  role: ({ role }) => role,
  muted: ({ muted }) => muted,
};

/** Each chip has the number that the API has for it. */
function chipPlaces(counts: RuleCounts): Place[] {
  return [
    {
      select: "a.chip",
      pattern: pattern("(?<shown>#)$"),
      claims: ({ shown }, { page, row }) => {
        const query = new URL(page(row).attr("href") ?? "", "http://localhost").searchParams;
        const names = Object.keys(chipNames).filter((name) => query.get(name));
        const [name = ""] = names;
        return names.length === 1 ? [[shown, chipNames[name]?.(counts)[query.get(name) ?? ""] ?? ""]] : [];
      },
    },
  ];
}

/** The parameters of the API for an address of the list of issues. */
function askedBy(to: string): URLSearchParams {
  const asked = new URLSearchParams({ "page[size]": "100" });
  for (const [name, value] of new URL(to, "http://localhost").searchParams)
    if (value === "outside") asked.set("filter[outside_standard]", "true");
    else asked.set(name === "type" ? "filter[issue_type]" : `filter[${name}]`, value);
  return asked;
}

/** What a chip says is what the list that it leads to has, also where others are chosen. */
async function walkChips({ reader, api, report }: Pick<Walk, "reader" | "api" | "report">): Promise<void> {
  const path = `/reports/${report}/issues`;
  for (const chosen of [
    ...["", "?path=/docs/", "?role=content", "?impact=critical&path=/docs/", "?state=persisting&role=content"],
    ...["?type=warning", "?type=outside", "?muted=true", "?state=new&path=/shop/&kind=html"],
  ]) {
    const page = await open(reader.client, `${path}${chosen}`);
    for (const chip of page("a.chip:not([aria-current])").toArray()) {
      const count = page(chip).find("span.quiet").text();
      const to = page(chip).attr("href") ?? "";
      if (count === "") continue;
      const { data } = await api<List<"report_rule">>(`/reports/${report}/rules?${askedBy(to)}`);
      const shown = data.reduce((sum, { attributes }) => sum + attributes.how_many, 0);
      if (n(count) !== String(shown))
        reader.problems.push(`${path}${chosen}: the chip to ${to} says ${count}, its list has ${shown}`);
    }
  }
}

async function pagesPlaces(api: Walk["api"], report: string, c: Counted): Promise<Place[]> {
  const { data } = await api<List<"web_page">>(`/reports/${report}/web_pages?page[size]=100`);
  for (const { id, attributes: page } of data) {
    for (const kind of checkKinds) {
      const check = page[`${nounOf(kind)}_check`];
      expect(check, `${kind} of ${page.url}`).to.include({
        errors: c("errorsByPageAndKind", `${id} ${kind}`),
        warnings: c("warningsByPageAndKind", `${id} ${kind}`),
      });
    }
    expect(page.faults.all, page.url).to.equal(c("faultsByPage", id));
    for (const role of ["content", "template", "design"] as const)
      expect(page.faults[role], `${role} of ${page.url}`).to.equal(c("faultsByPageAndRole", `${id} ${role}`));
    if (page.new_errors !== null) expect(page.new_errors, page.url).to.equal(c("newErrorsByPage", id));
  }
  const results = {
    all: c("found"),
    errors: c("checked") - c("withoutErrors"),
    "only questions": c("withoutErrors") - c("withoutIssues"),
    "nothing found": c("withoutIssues"),
    "not checked": c("notChecked"),
    "no page": c("withoutPage"),
  };
  const fresh = data.filter(({ attributes }) => (attributes.new_errors ?? 0) > 0).length;
  return [
    tabs(c),
    {
      select: "[aria-label=Status] a",
      pattern: pattern("^(?<name>[a-z ]+) (?<shown>#)$"),
      claims: ({ name, shown }) => [[shown, results[name as keyof typeof results] ?? ""]],
    },
    {
      select: '[aria-label="Since the run before"] a',
      pattern: pattern("(?<shown>#)$"),
      claims: (g) => [[g.shown, fresh]],
    },
    {
      select: "p.line",
      pattern: pattern("(?<pages>#) pages?, (?<errors>#) errors?(?:, (?<fresh>#) new)?"),
      claims: (g) => given([g.pages, c("found")], [g.errors, c("errors")], [g.fresh, c("errorsByState", "new")]),
    },
    {
      select: "tbody tr",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const id = page(row).find("th a").attr("href")?.split("?")[0]?.split("/").at(-1);
        const columns = page("thead th")
          .toArray()
          .map((cell) => page(cell).text().trim());
        const cells = cellsOf(page, row);
        const errors = checkKinds.reduce((sum, kind) => sum + c("errorsByPageAndKind", `${id} ${kind}`), 0);
        const expected = new Map<string | undefined, number>([
          [texts.pages.columns.errors, errors],
          [texts.pages.columns.new, c("newErrorsByPage", id)],
          [texts.pages.columns.findings, c("faultsByPage", id)],
        ]);
        return columns.flatMap((name, at): Claim[] => {
          const value = expected.get(name);
          return value === undefined || cells[at] === "–" ? [] : [[cells[at], value]];
        });
      },
    },
  ];
}

async function walkPages({ reader, api, report }: Walk, c: Counted): Promise<void> {
  const { data } = await api<List<"web_page">>(`/reports/${report}/web_pages?page[size]=100`);
  for (const { id } of data) {
    await walk(reader, `/reports/${report}/pages/${id}`, [
      tabs(c),
      {
        select: "#findings",
        pattern: pattern("^(?<shown>#) findings?$"),
        claims: (g) => given([g.shown, c("faultsByPage", id)]),
      },
      {
        select: "nav.seg a",
        pattern: pattern("^(?<name>\\w+) (?<shown>#)$"),
        claims: ({ name, shown }) =>
          name === "all" ? [[shown, c("faultsByPage", id)]] : [[shown, c("faultsByPageAndRole", `${id} ${name}`)]],
      },
      { select: "nav.near", pattern: pattern("# of (?<all>#)"), claims: (g) => given([g.all, c("faultsByPage", id)]) },
      {
        select: '[aria-labelledby="how"]',
        pattern: /\d+/g,
        claims: () => [],
      },
      { select: "[aria-labelledby=source], .pane", pattern: /\d+/g, claims: () => [] },
    ]);
    await walk(reader, `/reports/${report}/editors/${id}`, [
      tabs(c),
      {
        select: ".found li",
        pattern: pattern("(?<shown>#)$"),
        claims: (g, { page, row }) =>
          given([g.shown, c("faultsByPageAndRole", `${page(row).find("a").attr("href")?.split("/").at(-1)} content`)]),
      },
      {
        select: "p.verdict",
        pattern: pattern("^(?<shown>#) things? to repair"),
        claims: (g) => given([g.shown, c("faultsByPageAndRole", `${id} content`)]),
      },
      { select: ".cards > li", pattern: pattern("Line #, column #|# elements?|\\b#\\b"), claims: () => [] },
    ]);
  }
}

function failedPlaces(c: Counted): Place[] {
  return [
    tabs(c),
    {
      select: "p.verdict",
      pattern: pattern(
        "(?<failed>#) pages? could not|(?<without>#) address(?:es)? leads? to no page|(?<left>#) address(?:es)? (?:was|were) left out",
      ),
      claims: (g) => given([g.failed, c("notChecked")], [g.without, c("withoutPage")], [g.left, c("leftOut")]),
    },
    { select: "#failed", pattern: pattern(": (?<shown>#)"), claims: (g) => given([g.shown, c("notChecked")]) },
    { select: "#without", pattern: pattern(": (?<shown>#)"), claims: (g) => given([g.shown, c("withoutPage")]) },
    { select: "#excluded", pattern: pattern(": (?<shown>#)"), claims: (g) => given([g.shown, c("leftOut")]) },
    {
      select: '[aria-labelledby="excluded"] summary',
      pattern: pattern("(?<why>.*) (?<shown>#)$"),
      claims: ({ why, shown }) => {
        const reason = Object.entries(leftOutTexts).find(
          ([, { clause }]) => clause.slice(1) === why?.trim().replace(/\.$/, "").slice(1),
        )?.[0];
        return [[shown, c("leftOutByReason", reason ?? "")]];
      },
    },
    { select: "summary", pattern: pattern("#$"), claims: () => [] },
    { select: "table", pattern: /\b(?:404|N)\b/g, claims: () => [] },
  ];
}

async function walkChanges(
  { reader, api, report }: Walk,
  c: Counted,
  base: Counted,
  a: Attributes<"report">,
): Promise<void> {
  void a;
  const { data, meta } = await api<List<"compared_rule">>(`/reports/${report}/comparison/rules?page[size]=100`);
  for (const { attributes: rule } of data)
    if (rule.rule !== null)
      expect(rule.how_many, keyOf(rule)).to.equal(c("byRuleAndState", `${rule.state} ${keyOf(rule)}`));
  expect(meta.how_many).to.equal(data.reduce((sum, { attributes }) => sum + attributes.how_many, 0));
  const states = Object.keys(findingStates);
  const isListed = (state: string) => state !== "persisting";
  const listed = states.filter(isListed);
  const type =
    listed.some((state) => c("errorsByState", state) > 0) || !listed.some((state) => c("warningsByState", state) > 0)
      ? "errors"
      : "warnings";
  const ofType = (state: string) => c(type === "errors" ? "errorsByState" : "warningsByState", state);
  const sum = (name: "errorsByState" | "warningsByState") => listed.reduce((total, state) => total + c(name, state), 0);
  await walk(reader, `/reports/${report}/changes`, [
    tabs(c),
    {
      select: ".verdict + p.quiet",
      pattern: pattern(
        "(?<same>#) errors? (?:is|are) as before|(?<none>#) errors? cannot be compared|(?<unknown>#) on pages that were not|(?<gone>#) on pages that are gone",
      ),
      claims: (g) =>
        given(
          [g.same, c("errorsByState", "persisting")],
          [g.none, c("errorsByState", "unknown") + c("errorsByState", "gone")],
          [g.unknown, c("errorsByState", "unknown")],
          [g.gone, c("errorsByState", "gone")],
        ),
    },
    {
      select: "p.verdict",
      pattern: pattern("(?<from>#) errors? became (?<to>#): (?<fixed>#) fixed, (?<fresh>#) new"),
      claims: (g) =>
        given(
          [g.from, base("errors")],
          [g.to, c("errors")],
          [g.fixed, c("errorsByState", "fixed")],
          [g.fresh, c("errorsByState", "new")],
        ),
    },
    {
      select: '[aria-labelledby="sum"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => stateClaims(c, cellsOf(page, row)),
    },
    {
      select: '[aria-labelledby="sum"] .drawing',
      pattern: /^(?<said>.*)$/g,
      claims: ({ said }) => {
        const steps = (said ?? "").replace(DATES, "").match(/[\d,]*\d/g) ?? [];
        return [
          [steps[0], base("errors")],
          [steps[1], c("errorsByState", "fixed")],
          [steps.at(-1), c("errors")],
        ];
      },
    },
    { select: "#sum", pattern: /From .*/g, claims: () => [] },
    { select: '[aria-labelledby="else"]', pattern: /\d+/g, claims: () => [] },
    {
      select: "a.chip",
      pattern: pattern("(?<shown>#)$"),
      claims: ({ shown }, { page, row }) => {
        const text = page(row)
          .text()
          .replace(/[\d,\s]+$/, "")
          .trim();
        const state = Object.entries(texts.states).find(([, name]) => name === text)?.[0];
        if (state) return [[shown, ofType(state)]];
        if (text === texts.types.error) return [[shown, sum("errorsByState")]];
        return text === texts.types.warning ? [[shown, sum("warningsByState")]] : [];
      },
    },
    {
      select: "h3.group",
      pattern: pattern("^(?<shown>#) (?<state>.*)$"),
      claims: ({ shown, state }) => [
        [shown, ofType(Object.entries(texts.states).find(([, name]) => name === state?.trim())?.[0] ?? "")],
      ],
    },
    {
      select: "ol.rules > li",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const id = page(row).attr("id")?.replace("rule-", "");
        const rule = data.find((one) => one.id === id)?.attributes;
        const [shown, pages] = [page(row).find("b.n").first().text(), page(row).find("span.n").first().text()].map(
          (text) => text.replace(/[^\d,]/g, ""),
        );
        expect(page(row).find("h4").text(), "the title of a rule").to.equal(rule?.title);
        return [
          [shown, rule?.how_many ?? ""],
          [pages, rule?.num_pages ?? ""],
        ];
      },
    },
  ]);
}

async function walkSites({
  reader,
  api,
  reports,
  counts,
}: Omit<Walk, "report"> & { reports: readonly string[] }): Promise<void> {
  const newest = reports.at(-1) ?? "";
  const c = counts.get(newest) as Counted;
  const { data: listed } = await api<List<"site">>("/sites");
  expect(listed).to.have.length(1);
  const id = listed[0]?.id ?? "";
  const { data } = await api<One<"site">>(`/sites/${id}`);
  const { numbers, runs } = data.attributes;
  expect(numbers).to.include({
    report_id: newest,
    errors: c("errors"),
    warnings: c("warnings"),
    critical: c("byImpact", "critical"),
    score: c("score"),
  });
  const { data: scored } = await api<One<"site_score">>(`/sites/${id}/score`);
  expect(scored.attributes.score).to.equal(c("score"));
  const { points, by_level, by_role } = scored.attributes;
  for (const parts of [by_level, by_role])
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).to.be.closeTo(points, 1e-6);
  const mended = [c("score"), ...scored.attributes.after.first];
  expect(mended, "each mended cause leaves a better score or the same").to.deep.equal(mended.toSorted((a, b) => a - b));
  if (c("causes") <= 5) expect(mended.at(-1), "nothing is left").to.equal(100);
  expect(numbers?.pages).to.include({
    checked: c("checked"),
    without_errors: c("withoutErrors"),
    without_issues: c("withoutIssues"),
    failed: c("checkFailed"),
    without_page: c("withoutPage"),
  });
  for (const run of runs)
    expect(run, run.report_id).to.include({
      errors: counts.get(run.report_id)?.("errors"),
      warnings: counts.get(run.report_id)?.("warnings"),
    });
  const { data: history } = await api<One<"site_series">>(`/sites/${id}/history`);
  for (const day of history.attributes.days) {
    const of = counts.get(day.report_id) as Counted;
    expect(day, day.date).to.include({ errors: of("errors"), warnings: of("warnings"), score: of("score") });
    for (const kind of checkKinds) expect(day.checks[kind]?.errors, kind).to.equal(of("errorsByKind", kind));
  }
  const known = c("pages") + c("leftOutByReason", "page_limit");
  const rate = perPage(c("errors"), c("checked"));
  for (const { attributes, id: run } of (await api<List<"site_run">>(`/sites/${id}/runs`)).data) {
    const of = counts.get(run) as Counted;
    expect(attributes, run).to.include({ errors: of("errors"), warnings: of("warnings"), num_pages: of("found") });
  }
  const { data: together } = await api<One<"sites_series">>("/sites_history");
  const last = together.attributes.days.at(-1);
  expect(last).to.include({ errors: c("errors"), pages: c("checked"), num_sites: 1 });
  // One site: all of them have what it has. The last report of a day stands for that day.
  const onDay = new Map(
    history.attributes.days.map((one) => [dayText(one.date), counts.get(one.report_id) as Counted]),
  );
  await walk(reader, "/", [
    {
      select: "ul.counts",
      pattern: pattern("# sites?|# got worse|# improved|# could not be checked|# (?:is|are) running"),
      claims: () => [],
    },
    { select: "nav.seg", pattern: pattern("# days"), claims: () => [] },
    {
      select: '[aria-labelledby="all-sites"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const cells = cellsOf(page, row);
        const of = onDay.get(cells[0] ?? "") as Counted;
        return [
          [cells[1], perPage(of("errors"), of("checked"))],
          [cells.at(-3), of("errors")],
          [cells.at(-2), of("checked")],
          [cells.at(-1), 1],
        ];
      },
    },
    {
      select: '[aria-labelledby="all-sites"]',
      pattern: pattern("(?<rate>#[.]#) now, (?<sites>#) sites? together|(?:HTML|Accessibility|Links) #[.]#"),
      claims: (g) => given([g.rate, rate], [g.sites, 1]),
    },
    {
      select: "[aria-labelledby=worst]",
      pattern: pattern("[−+]?#[.]# (?=→)|→ (?<rate>#[.]#)|[−+]#(?:[.]#)?|# improved"),
      claims: (g) => given([g.rate, rate]),
    },
    {
      select: "tbody tr",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [, , , perPageNow, critical] = cellsOf(page, row);
        const found =
          /^(?<rate>[\d,]+[.]\d).*?(?<errors>[\d,]+) errors?(?:[\d,]+ when it ended)?$/.exec(perPageNow ?? "")
            ?.groups ?? {};
        return [
          [found.rate, rate],
          [found.errors, c("errors")],
          [critical, c("byImpact", "critical")],
        ];
      },
    },
  ]);
  const run = (row: Parameters<Page>[0], page: Page) =>
    counts.get(
      page(row as string)
        .find("a")
        .attr("href")
        ?.split("/")
        .at(-1) ?? "",
    ) as Counted;
  await walk(reader, `/sites/${id}`, [
    { select: "nav.seg", pattern: pattern("#"), claims: () => [] },
    {
      select: "p.verdict",
      pattern: pattern("(?<score>#) of 100[.]|(?<rate>#[.]#) errors per page|after #[.]# on|as on"),
      claims: (g) => given([g.score, c("score")], [g.rate, rate]),
    },
    {
      select: "a.tile",
      pattern: pattern(
        "Errors per page (?<rate>#[.]#).*? (?<errors>#) errors?(?: \\(# when it ended\\))?$|Pages without errors #% (?<without>#) of (?<checked>#)|Coverage #% (?<of>#) of (?<known>#)|Runs (?<runs>#)",
      ),
      claims: (g) =>
        given(
          [g.rate, rate],
          [g.errors, c("errors")],
          [g.without, c("withoutErrors")],
          [g.checked, c("checked")],
          [g.of, c("checked")],
          [g.known, known],
          [g.runs, reports.length],
        ),
    },
    {
      select: '[aria-labelledby="density"] ul',
      pattern: pattern("(?<kind>HTML|Accessibility|Links) (?<rate>#[.]#)"),
      claims: () => [],
    },
    { select: '[aria-labelledby="density"] .drawing', pattern: pattern("#[.]#"), claims: () => [] },
    {
      select: '[aria-labelledby="score"] ul',
      pattern: pattern("Score (?<score>#)"),
      claims: (g) => given([g.score, c("score")]),
    },
    { select: '[aria-labelledby="score"] .drawing', pattern: pattern("#"), claims: () => [] },
    // The parts are held against the points above.
    { select: '[aria-labelledby="lost"]', pattern: pattern("#(?:[.]#)?"), claims: () => [] },
    // So is what the score would be.
    { select: '[aria-label="Target"] li', pattern: pattern("Fix first, (?:all #|the only one): #"), claims: () => [] },
    {
      select: '[aria-labelledby="status"] ul',
      pattern: pattern(
        "with errors (?<with>#)|warnings only (?<only>#)|nothing found (?<nothing>#)|not checked (?<failed>#)",
      ),
      claims: (g) =>
        given(
          [g.with, c("checked") - c("withoutErrors")],
          [g.only, c("withoutErrors") - c("withoutIssues")],
          [g.nothing, c("withoutIssues")],
          [g.failed, c("notChecked")],
        ),
    },
    {
      select: '[aria-labelledby="coverage"] ul',
      pattern: pattern("known, not checked (?<left>#)|checked (?<checked>#)"),
      claims: (g) => given([g.checked, c("checked")], [g.left, known - c("checked")]),
    },
    { select: ".drawing", pattern: pattern("# ?%?"), claims: () => [] },
    {
      select: "details table tbody tr",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row, index: at }) => {
        // The parts of each day add up to what is said of all of it.
        const cells = cellsOf(page, row);
        const day = history.attributes.days.toReversed()[at];
        const parts = checkKinds.map((_kind, index) => Number(cells[index + 2]));
        return day
          ? [
              [cells[1], day.score],
              [parts.reduce((sum, part) => sum + part, 0).toFixed(1), perPage(day.errors, day.pages.checked)],
            ]
          : [];
      },
    },
    {
      select: '[aria-labelledby="runs"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [, , score, errors, rateOf, pages] = cellsOf(page, row);
        const of = run(row, page);
        const [checked, all] = (pages ?? "").split(" of ");
        return [
          [score, of("score")],
          [errors?.split(" ")[0], of("errors")],
          [rateOf, perPage(of("errors"), of("checked"))],
          [checked, of("checked")],
          [all, of("pages") + of("leftOutByReason", "page_limit")],
        ];
      },
    },
    {
      select: '[aria-labelledby="affected"] li',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const of = page(row as string)
          .find("a")
          .attr("href")
          ?.split("/")
          .at(-1);
        const all = checkKinds.reduce((sum, kind) => sum + c("errorsByPageAndKind", `${of} ${kind}`), 0);
        return [
          [
            page(row as string)
              .find("b.n")
              .text(),
            all,
          ],
        ];
      },
    },
    { select: '[aria-labelledby="settings"]', pattern: /\d+/g, claims: () => [] },
    { select: "p:contains('compare')", pattern: /\d+/g, claims: () => [] },
  ]);
}

/** The criteria of the site, and its statement. */
async function walkConformance({ reader, api, report, counts }: Walk): Promise<void> {
  const c = counts.get(report) as Counted;
  const { data: sites } = await api<List<"site">>("/sites");
  const path = `/sites/${sites[0]?.id}`;
  const { data, meta } = await api<List<"site_criterion">>(`${path}/criteria?page[size]=100`);
  const criteria = data.map(({ attributes }) => attributes);
  for (const { number, errors } of criteria) expect(errors, number).to.equal(c("errorsByCriterion", number));
  const fails = criteria.filter(({ number }) => c("errorsByCriterion", number) > 0).length;
  const inState = (state: string) => criteria.filter((one) => one.state === state).length;
  expect(meta.states).to.include({ failed_by_machine: fails, failed: 0, passed: 0, not_present: 0 });
  const [person, nothing] = [inState("needs_person"), inState("nothing_found")];
  await walk(reader, `${path}/criteria`, [
    {
      select: "p.verdict",
      pattern: pattern("(?<fails>#) of (?<all>#) criteria fail. (?<person>#) need a person, (?<nothing>#) more"),
      claims: (g) => [
        [g.fails, fails],
        [g.all, fails + person + nothing],
        [g.person, person],
        [g.nothing, nothing],
      ],
    },
    {
      select: "a.chip",
      pattern: pattern("(?<shown>#)$"),
      claims: ({ shown }, { page, row }) => {
        const state = new URL(page(row).attr("href") ?? "", "http://localhost").searchParams.get("state");
        return [[shown, inState(state ?? "")]];
      },
    },
    {
      select: '[aria-labelledby^="principle-"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [name = "", , state = ""] = cellsOf(page, row);
        return [[/: ([\d,]+) errors?$/.exec(state)?.[1] ?? "0", c("errorsByCriterion", name.split(" ")[0])]];
      },
    },
    {
      select: '[aria-labelledby="sample"] h2',
      pattern: pattern("(?<shown>#)$"),
      claims: ({ shown }, { page }) => [[shown, page('[aria-labelledby="sample"] tbody tr').length]],
    },
  ]);
  const unchecked = c("pages") + c("leftOutByReason", "page_limit") - c("checked");
  const { data: statement } = await api<One<"statement">>(`${path}/statement`);
  expect(statement.attributes.problems).to.have.length(c("causesOfCriteria"));
  await walk(reader, `${path}/statement`, [
    {
      select: "p.verdict",
      pattern: pattern("(?<shown>#) things?"),
      claims: ({ shown }, { page }) => [[shown, page('[aria-labelledby="missing"] li').length]],
    },
    {
      select: '[aria-labelledby="how"] p',
      pattern: pattern(
        "of (?<all>#) criteria (?<fails>#) (?:is|are) not met in every place, (?<passed>#) (?:is|are) met, (?<none>#) concern|Of the other (?<left>#), (?<nothing>#) were checked by machine only, without a failure, and (?<person>#)",
      ),
      claims: (g) =>
        given(
          [g.all, fails + person + nothing],
          [g.fails, fails],
          [g.passed, 0],
          [g.none, 0],
          [g.left, person + nothing],
          [g.nothing, nothing],
          [g.person, person],
        ),
    },
    {
      select: '[aria-labelledby="missing"] li',
      pattern: pattern(
        "(?<open>#) of (?<all>#) criteria have no answer|(?<undated>#) of (?<known>#) known problems|(?<unchecked>#) pages? w",
      ),
      claims: (g) =>
        given(
          [g.open, person + nothing],
          [g.all, fails + person + nothing],
          [g.undated, c("causesOfCriteria")],
          [g.known, c("causesOfCriteria")],
          [g.unchecked, unchecked],
        ),
    },
  ]);
}

/** What mutings silence in the newest report. */
async function walkMutings({ reader, api, report, counts }: Walk): Promise<void> {
  const c = counts.get(report) as Counted;
  const { data } = await api<List<"muting">>("/mutings?page[size]=100&now=true");
  const silencedBy = (id: string) => c("mutedByMuting", id);
  const idle = data.filter(({ id }) => silencedBy(id) === 0).length;
  await walk(reader, "/mutings", [
    {
      select: "a.chip",
      pattern: pattern("(?<shown>#)$"),
      claims: ({ shown }, { page, row }) => {
        const query = new URL(page(row).attr("href") ?? "", "http://localhost").searchParams;
        const [state, category] = ["state", "category"].map((name) => query.get(name));
        if (state === "matches_nothing") return [[shown, idle]];
        if (state === "ends_soon") return [[shown, 0]];
        return [[shown, data.filter(({ attributes }) => !category || attributes.category === category).length]];
      },
    },
    {
      select: "tbody tr",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const id = page(row).find("a").attr("href")?.split("/").at(-1) ?? "";
        return [[/(?:^| )([\d,]+)(?: since .*)?$/.exec(cellsOf(page, row).at(-1) ?? "")?.[1], silencedBy(id)]];
      },
    },
    {
      select: "p.quiet",
      pattern: pattern("(?<muted>#) findings? (?:is|are) muted now|look at these (?<idle>#)"),
      claims: (g) => given([g.muted, data.reduce((sum, { id }) => sum + silencedBy(id), 0)], [g.idle, idle]),
    },
  ]);
}

/** The month of the newest report, beside that of the run before it, which is made to be of the month before. */
async function walkMonth(db: TestDatabase["db"], { reader, api, report, counts }: Walk): Promise<void> {
  await sql`update report_ends set ended_at = ended_at - interval '1 month' where report_id <> ${report}`.execute(db);
  const c = counts.get(report) as Counted;
  const { data } = await api<One<"month_report">>("/months/2026-04");
  const month = data.attributes;
  const [site] = month.sites;
  const b = counts.get(site?.before?.report_id ?? "") as Counted;
  const isCompared = site?.turn !== "not_compared";
  const rulesOf = await sql<{ key: string }>`
    select distinct concat_ws(' ', kind, rule) as key from findings where report_id in (${report}, ${site?.before?.report_id})`.execute(
    db,
  );
  const change = (key: string) => c("errorsByRule", key) - b("errorsByRule", key);
  const sumOf = (sign: 1 | -1) =>
    isCompared ? rulesOf.rows.reduce((sum, { key }) => sum + Math.max(0, sign * change(key)), 0) : 0;
  const [away, came] = [sumOf(-1), sumOf(1)];
  const [rate, rateBefore] = [perPage(c("errors"), c("checked")), perPage(b("errors"), b("checked"))];
  const runs = counts.size === 0 ? 0 : 1;
  expect(month.totals).to.include({ errors: c("errors"), pages: c("checked"), critical: c("byImpact", "critical") });
  expect(month.before).to.include({ errors: b("errors"), pages: b("checked"), critical: b("byImpact", "critical") });
  expect([month.away.errors, month.came.errors, month.num_runs]).to.deep.equal([away, came, runs]);
  expect(month.before.errors - away + came).to.equal(month.totals.errors);
  for (const role of ["content", "template", "design"] as const)
    expect(month.roles[role], role).to.equal(c("errorsByRole", role));
  for (const { number, errors } of month.criteria) expect(errors, number).to.equal(c("errorsByCriterion", number));
  for (const [which, sign] of [
    ["away", -1],
    ["came", 1],
  ] as const)
    for (const { kind, rule, errors } of month[which].rules)
      expect(errors, `${which} ${kind} ${rule}`).to.equal(sign * change(`${kind} ${rule ?? ""}`));
  const left = c("pages") + c("leftOutByReason", "page_limit") - c("checked");
  const stateOf = (state: string) => month.criteria.filter((one) => one.state === state).length;
  const rulesText = (which: "away" | "came") => ({
    select: `[aria-labelledby="${which}"]`,
    pattern: pattern("What (?:went away|came): (?<all>#) errors?|[−+](?<part>#)|by # other rules?"),
    claims: (g: Record<string, string | undefined>) => given([g.all, which === "away" ? away : came]),
  });
  await walk(reader, "/months/2026-04", [
    { select: ".drawing", pattern: pattern("#[.]#"), claims: () => [] },
    { select: "thead", pattern: pattern("12 weeks"), claims: () => [] },
    {
      select: "p",
      pattern: pattern(
        "April 2026|(?<sites>#) site, (?<pages>#) pages?, (?<runs>#) runs?[.]|(?<rate>#[.]#) errors per page, after (?<before>#[.]#) in March: (?<away>#) went away, (?<came>#) came|(?<from>#) − (?<less>#) [+] (?<more>#) = (?<to>#)|(?:These # changes remove|This change removes) (?<removed>#) errors?, #%|✕ (?<fails>#) fail|✓ (?<nothing>#) nothing|(?<person>#) only people|; 12 weeks|from 0 on|html 1, links 1|a11y 1, html 1, links 1",
      ),
      claims: (g) =>
        given(
          [g.sites, 1],
          [g.pages, c("checked")],
          [g.runs, runs],
          [g.rate, rate],
          [g.before, rateBefore],
          [g.away, away],
          [g.came, came],
          [g.from, b("errors")],
          [g.less, away],
          [g.more, came],
          [g.to, c("errors")],
          [g.removed, c("errorsOfCause", "most")],
          [g.fails, stateOf("fails")],
          [g.nothing, stateOf("nothing_found")],
          [g.person, stateOf("not_judged")],
        ),
    },
    {
      select: "dl.tiles > div",
      pattern: pattern(
        "Errors per page ?(?<rate>#[.]#) (?:#[.]# )?(?<errors>#) errors? on (?<pages>#) pages?|limits ?(?<met>#) of 1 (?<not>#) do(?:es)? not(?:, (?<none>#) (?:has|have) none)?|April ?(?<away>#) and (?<came>#) came|Critical ?(?<critical>#)|Not checked ?(?<without>#) sites? and (?<part>#) only in part",
      ),
      claims: (g) =>
        given(
          [g.rate, rate],
          [g.errors, c("errors")],
          [g.pages, c("checked")],
          [g.met, site?.now?.passed === true ? 1 : 0],
          [g.not, site?.now?.passed === false ? 1 : 0],
          [g.none, 1],
          [g.away, away],
          [g.came, came],
          [g.critical, c("byImpact", "critical")],
          [g.without, 0],
          [g.part, left > 0 ? 1 : 0],
        ),
    },
    {
      select: '[aria-labelledby="year"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row, index }) => {
        const [, rateOf, errors, pages, sites] = cellsOf(page, row);
        const of = index === 0 ? c : b;
        return [
          [rateOf, perPage(of("errors"), of("checked"))],
          [errors, of("errors")],
          [pages, of("checked")],
          [sites, 1],
        ];
      },
    },
    {
      select: '[aria-labelledby="moved"]',
      pattern: pattern("(?<before>#[.]#) → (?<rate>#[.]#)|# sites?"),
      claims: (g) => given([g.before, rateBefore], [g.rate, rate]),
    },
    rulesText("away"),
    rulesText("came"),
    {
      select: '[aria-labelledby="who"] li',
      pattern: pattern("(?<role>content|template|design) ?(?<shown>#) ?#%"),
      claims: (g) => given([g.shown, c("errorsByRole", g.role)]),
    },
    {
      select: '[aria-labelledby="worst"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => [[cellsOf(page, row).at(-1), c("errorsOfCause", "most")]],
    },
    {
      select: '[aria-labelledby="all"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const cells = cellsOf(page, row);
        return [
          [cells[3], rate],
          [cells.at(-1), c("byImpact", "critical")],
        ];
      },
    },
    { select: '[aria-labelledby="all"] h2', pattern: pattern("#"), claims: () => [] },
    {
      select: '[aria-labelledby="open"] tbody tr',
      pattern: pattern("(?<checked>#) of (?<all>#) pages?"),
      claims: (g) => given([g.checked, c("checked")], [g.all, c("checked") + left]),
    },
    { select: "#wcag", pattern: pattern("#[.]#|#"), claims: () => [] },
    {
      select: '[aria-labelledby="wcag"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const [name = "", sites, errors] = cellsOf(page, row);
        return [
          [sites, 1],
          [errors, c("errorsByCriterion", name.split(" ")[0])],
        ];
      },
    },
  ]);
}

/** The newest report as if it still ran. */
async function walkLive({ reader, api, report, counts }: Walk): Promise<void> {
  const c = counts.get(report) as Counted;
  const { data: of } = await api<One<"report">>(`/reports/${report}`);
  const { data, meta } = await api<List<"report_rule">>(
    `/reports/${report}/rules?filter[issue_type]=error&page[size]=8`,
  );
  await walk(reader, `/reports/${report}`, [
    tabs(c),
    {
      select: "#progress",
      pattern: pattern("(?<done>#) of (?<found>#) pages? done"),
      claims: (g) => [
        [g.done, c("checked") + c("checkFailed")],
        [g.found, c("found")],
      ],
    },
    {
      select: '[aria-labelledby="progress"] dl.tiles > div',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const name = page(row).find("dt").text().trim();
        const [shown, ...more] = page(row).find("dd").text().replace(/\s+/g, " ").trim().split(" ");
        const expected: Record<string, number> = {
          [texts.report.found]: c("found"),
          [texts.live.checked]: c("checked"),
          [texts.live.notChecked]: c("checkFailed"),
          [texts.live.errors]: c("errors"),
        };
        const ofPage = name === texts.live.errors && c("checked") > 0;
        return given(
          name in expected && [shown, expected[name] ?? ""],
          ofPage && [more[0], perPage(c("errors"), c("checked"))],
        );
      },
    },
    {
      select: '[aria-labelledby="so-far"] p.quiet',
      pattern: pattern("(?<errors>#) errors? by (?<rules>#) rules?"),
      claims: (g) => given([g.errors, c("errors")], [g.rules, meta.total]),
    },
    {
      select: "ol.rows.tree li",
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const count = page(row).find("b.n");
        const rule = data.find(({ id }) => id === count.attr("data-count"));
        return [[count.text(), rule ? c("byRule", keyOf(rule.attributes)) : "a rule of the list"]];
      },
    },
    {
      select: '[aria-labelledby="last"] tbody tr',
      pattern: /^(?<rest>.*)$/g,
      claims: (_, { page, row }) => {
        const id = page(row).find("a").attr("href")?.split("/").at(-1);
        const [, shown] = cellsOf(page, row);
        const all = checkKinds.reduce((sum, kind) => sum + c("errorsByPageAndKind", `${id} ${kind}`), 0);
        return /^[\d,]+$/.test(shown ?? "") ? [[shown, all]] : [];
      },
    },
    { select: "ul.fixes .quiet.n", pattern: /\d+/g, claims: () => [] },
    ...summaryPlaces(of.attributes, c, counts),
  ]);
}
