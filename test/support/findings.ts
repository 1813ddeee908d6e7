import type { Insertable, Kysely } from "kysely";
import { encodeSource, sourceRow } from "../../src/database/crawl/page-sources.ts";
import { compressText } from "../../src/database/stored-text.ts";
import type { Database } from "../../src/database/tables.ts";
import { digest } from "../../src/domain/identity/digest.ts";
import { setReport } from "./check-counts.ts";

const FOUND_AT = new Date("2026-01-02T03:04:05.678Z");

/** Ids of what insertFindings made, for the addresses of a test. */
export type Findings = {
  pageIds: [checked: string, failed: string, pending: string];
  /** On the checked page: an error, a warning and a muted error. */
  htmlIssueIds: [string, string, string];
  a11yIssueId: string;
  commonHtmlIssueIds: [string, string, string];
  commonA11yIssueId: string;
  /** Of the element of the accessibility issue that can be seen. */
  pictureId: string;
};

/**
 * A report's results as crawler and checkers would leave them in the middle of a run:
 * a checked page with everything that can be stored of it, a failed one and one whose
 * checks wait; and the report's counters to match.
 */
export async function insertFindings(
  db: Kysely<Database>,
  reportId: string,
  site = "https://example.com/",
): Promise<Findings> {
  const pages = [];
  for (const [path, http_status] of [
    ["", 200],
    ["broken", 500],
    ["waiting", 200],
  ] as const) {
    const fetch_ms = path === "waiting" ? null : 25;
    const url = `${site}${path}`;
    const values = { report_id: reportId, url, http_status, linked_from: null, fetch_ms };
    pages.push((await db.insertInto("web_pages").values(values).returning("id").executeTakeFirstOrThrow()).id);
  }
  const [checked = "", failed = "", pending = ""] = pages;
  const time = FOUND_AT;
  const failure = {
    failure_code: "http_error",
    failure_detail: "The server responded with 500 Internal Server Error.",
  } as const;
  const counts = { html: { errors: 3, warnings: 1 }, a11y: { errors: 2, warnings: 0, serious: 2 } };
  for (const kind of ["html", "a11y"] as const) {
    await db
      .insertInto("checks")
      .values([
        {
          report_id: reportId,
          web_page_id: checked,
          kind,
          status: "checked",
          ...emptyCheck,
          ...counts[kind],
          duration_ms: 340,
          finished_at: time,
        },
        {
          report_id: reportId,
          web_page_id: failed,
          kind,
          status: "failed",
          ...emptyCheck,
          ...failure,
          finished_at: time,
        },
        { report_id: reportId, web_page_id: pending, kind, status: "queued", ...emptyCheck, finished_at: null },
      ])
      .execute();
    await db
      .insertInto("raw_checks")
      .values({
        web_page_id: checked,
        kind,
        raw_zstd: await compressText(Buffer.from(JSON.stringify({ engine: kind }))),
      })
      .execute();
  }
  await db.updateTable("web_pages").set({ last_checked_at: time }).where("id", "=", checked).execute();
  await db
    .insertInto("screenshots")
    .values({ web_page_id: checked, png: Buffer.from("\x89PNG"), width: 390, height: 1_200, scale: 2.625 })
    .execute();
  const picture = { box: [8, 1_130, 374, 18], area: [0, 1_079, 390, 120], webp: Buffer.from("RIFF____WEBP") };
  const { id: pictureId } = await db
    .insertInto("element_pictures")
    .values({ web_page_id: checked, ...picture })
    .returning("id")
    .executeTakeFirstOrThrow();
  const source = await encodeSource({ source: "<!DOCTYPE html>\n<title>Here</title>\n", contentType: "text/html" });
  await db
    .insertInto("page_sources")
    .values({ ...sourceRow(checked, source), kept: true })
    .execute();
  await db
    .insertInto("excluded_urls")
    .values({
      report_id: reportId,
      url: "https://other.example/",
      linked_from: site,
      reason: "off_site",
    })
    .execute();
  const html = await htmlIssues(db, reportId, checked);
  const a11y = await a11yIssue(db, reportId, checked);
  await setReport(db, reportId, {
    phase: "Checking",
    crawl_state: "crawling",
    engines: JSON.stringify({ html: { name: "html-validate", version: "11.0.0" } }),
    num_pages: 3,
    html_pending: 1,
    html_checked: 1,
    html_failed: 1,
    html_errors: 3,
    html_warnings: 1,
    a11y_pending: 1,
    a11y_checked: 1,
    a11y_failed: 1,
    a11y_errors: 2,
    a11y_serious: 2,
    last_checked_at: time,
  });
  return { pageIds: [checked, failed, pending], ...html, ...a11y, pictureId };
}

const emptyCheck = {
  ...{ failure_code: null, failure_detail: null, duration_ms: null },
  ...{ errors: 0, warnings: 0, serious: 0 },
};

async function htmlIssues(db: Kysely<Database>, reportId: string, pageId: string) {
  const muting = await db
    .insertInto("mutings")
    .values((eb) => ({
      account_id: eb.selectFrom("reports").select("account_id").where("id", "=", reportId),
      guest_token: null,
      criteria: JSON.stringify({ url_match: "example", message: "obsolete" }),
    }))
    .returning("id")
    .executeTakeFirstOrThrow();
  const found = [
    {
      issue_type: "error",
      message: "Element <img> needs an alternative 100%",
      tags: ["images", "wcag"],
      how_many: 3,
      muting_id: null,
    },
    {
      issue_type: "warning",
      message: "Trailing slash on void elements",
      tags: ["style"],
      how_many: 1,
      muting_id: null,
    },
    {
      issue_type: "error",
      message: "The <center> element is obsolete",
      tags: ["style"],
      how_many: 2,
      muting_id: muting.id,
    },
  ] as const;
  const commonIds: string[] = [];
  const issueIds: string[] = [];
  for (const { how_many, muting_id, tags, ...issue } of found) {
    const values = { ...issue, report_id: reportId, kind: "html" as const, rule: null, tags: [...tags] };
    const common = await db
      .insertInto("common_issues")
      .values({ ...values, key: Buffer.from(issue.message), how_many: muting_id === null ? how_many : 0 })
      .returning("id")
      .executeTakeFirstOrThrow();
    const html = Array.from({ length: how_many }, (_, index) => ({
      extract: `<p>${index}</p>`,
      fingerprint: digest([`${index}`]),
      selector: "html > body > p",
      coordinates: {
        first_line: index + 1,
        last_line: index + 1,
        first_column: 1,
        last_column: 3,
        hilite_start: 0,
        hilite_length: 3,
      },
    }));
    const row = await db
      .insertInto("issues")
      .values({ ...values, web_page_id: pageId, common_id: common.id, html: JSON.stringify(html), how_many, muting_id })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { issue_type } = issue;
    await findingRows(
      db,
      html,
      { kind: "html", report_id: reportId, web_page_id: pageId, muting_id, issue_type },
      row.id,
    );
    commonIds.push(common.id);
    issueIds.push(row.id);
  }
  return {
    htmlIssueIds: issueIds as [string, string, string],
    commonHtmlIssueIds: commonIds as [string, string, string],
  };
}

/** What was measured of the first element. */
export const greyContrast = {
  ...{ ratio: 2.84, required: 4.5, foreground: "#999999", background: "#ffffff", shadow: null },
  ...{ font_size: 16, font_weight: "normal" },
} as const;

async function a11yIssue(db: Kysely<Database>, reportId: string, pageId: string) {
  const values = {
    report_id: reportId,
    kind: "a11y",
    issue_type: "error",
    rule: "color-contrast",
    message: "Elements must meet minimum color contrast",
    help_url: "https://example.org/color-contrast",
    impact_order: 3,
    tags: ["wcag2aa", "wcag143", "ACT-afw4f7"],
    how_many: 2,
  } as const;
  const common = await db
    .insertInto("common_issues")
    .values({ ...values, tags: [...values.tags], key: Buffer.from(values.rule) })
    .returning("id")
    .executeTakeFirstOrThrow();
  const html = [1, 2].map((n) => ({
    ...{ extract: `<p>${n}</p>`, target: `p:nth-child(${n})`, failure_summary: "Fix it" },
    fingerprint: digest([`${n}`]),
    selector: "html > body > p",
    // The second cannot be seen.
    ...(n === 1 && { box: { x: 8, y: 1_130, width: 374, height: 18 }, contrast: greyContrast }),
  }));
  const issue = await db
    .insertInto("issues")
    .values({
      ...values,
      tags: [...values.tags],
      web_page_id: pageId,
      common_id: common.id,
      html: JSON.stringify(html),
      muting_id: null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const of = { kind: "a11y", report_id: reportId, web_page_id: pageId, muting_id: null, issue_type: "error" } as const;
  await findingRows(db, html, { ...of, rule: values.rule, impact_order: values.impact_order }, issue.id);
  return { a11yIssueId: issue.id, commonA11yIssueId: common.id };
}

/** The results of link checks on the checked and the failed page of `insertFindings`. */
export async function insertLinkFinding(
  db: Kysely<Database>,
  reportId: string,
  [pageId, failed]: Findings["pageIds"],
  site = "https://example.com/",
) {
  const values = {
    report_id: reportId,
    kind: "links",
    issue_type: "error",
    rule: "broken-link",
    message: `The link to ${site}broken is broken: it responds with 500 Internal Server Error.`,
  } as const;
  await db
    .insertInto("checks")
    .values([
      {
        ...{ ...emptyCheck, report_id: reportId, web_page_id: pageId, kind: "links", status: "checked", errors: 2 },
        finished_at: FOUND_AT,
      },
      {
        ...{ ...emptyCheck, report_id: reportId, web_page_id: failed, kind: "links", status: "failed" },
        ...{ failure_code: "http_error", failure_detail: "The server responded with 500 Internal Server Error." },
        finished_at: FOUND_AT,
      },
    ])
    .execute();
  const tags = ["internal", "link"];
  const common = await db
    .insertInto("common_issues")
    .values({ ...values, tags, key: Buffer.from(values.rule), how_many: 2 })
    .returning("id")
    .executeTakeFirstOrThrow();
  const place = { first_line: 8, last_line: 8, first_column: 4, last_column: 21, hilite_start: 0, hilite_length: 18 };
  const made = { extract: '<a href="/broken">', fingerprint: digest(["link"]), selector: "a" };
  // A script has made the other one, so it is nowhere in the source.
  const html = [
    { ...made, coordinates: place },
    { ...made, fingerprint: digest(["made"]) },
  ];
  const issue = await db
    .insertInto("issues")
    .values({
      ...{ ...values, tags, web_page_id: pageId, common_id: common.id, how_many: html.length, muting_id: null },
      html: JSON.stringify(html),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { message: _, ...of } = values;
  await findingRows(db, html, { ...of, web_page_id: pageId, muting_id: null }, issue.id);
  const raw = { references: [{ as: "link", url: `${site}broken`, is: "error", status: 500 }] };
  await db
    .insertInto("raw_checks")
    .values({ web_page_id: pageId, kind: "links", raw_zstd: await compressText(Buffer.from(JSON.stringify(raw))) })
    .execute();
  await setReport(db, reportId, { links_checked: 1, links_failed: 1, links_errors: 2 });
  return { common: common.id, issue: issue.id };
}

type FindingColumns = Pick<
  Insertable<Database["findings"]>,
  "kind" | "report_id" | "web_page_id" | "muting_id" | "issue_type"
> &
  Partial<Pick<Insertable<Database["findings"]>, "rule" | "impact_order">>;

/** A finding for each element of an issue. */
async function findingRows(
  db: Kysely<Database>,
  elements: readonly { fingerprint: string }[],
  columns: FindingColumns,
  issueId: string,
): Promise<void> {
  const rows = elements.map(({ fingerprint }) => ({
    ...{ rule: "", impact_order: null, tag: null, path: null, how_many: 1, found_at: FOUND_AT, ...columns },
    issue_id: issueId,
    fingerprint: Buffer.from(fingerprint, "hex"),
    component: Buffer.from(digest([columns.kind, fingerprint]), "hex"),
  }));
  await db.insertInto("findings").values(rows).execute();
}
