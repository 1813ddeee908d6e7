import { type Kysely, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { StateElements } from "../findings/state-elements.ts";
import { bytesOf, type Paginated, readPage } from "../lists.ts";
import { MAX_PAGE_BYTES } from "../page-size.ts";
import type { Database } from "../tables.ts";
import { type IssueQuery, issueConditions, pageIssueStates } from "./issue-query.ts";
import { elementsMuted, hasMuted, withElementsMuted } from "./muted-elements.ts";

type Compared = { states: StateElements; first_seen_at: Date };
export type HtmlIssueRow = Selectable<Database["html_issues"]> & Compared;
export type A11yIssueRow = Selectable<Database["a11y_issues"]> & Compared;

/** All columns but the elements. */
const sharedColumns = [
  "id",
  "report_id",
  "web_page_id",
  "common_id",
  "tags",
  "how_many",
  "help_url",
  "muted_count",
  "muting_id",
] as const;
const times = ["inserted_at", "updated_at"] as const;
const htmlColumns = [...sharedColumns, "issue_type", "issue_sub_type", "message", ...times] as const;
const a11yColumns = [
  ...sharedColumns,
  "rule_id",
  "help",
  "impact",
  "impact_order",
  "review",
  "outside_standard",
  ...times,
] as const;

/** As many elements of an issue as fit into a response: a checker that was taken over may have stored any number. */
const boundedHtml = <Html>() =>
  sql<Html>`
  case when octet_length(html::text) <= ${sql.lit(MAX_PAGE_BYTES)} then html else (
    select coalesce(jsonb_agg(element order by place), '[]') from (
      select element, place, sum(octet_length(element::text) + 2) over (order by place) as bytes
      from jsonb_array_elements(html) with ordinality as elements (element, place)
    ) counted where bytes <= ${sql.lit(MAX_PAGE_BYTES)}
  ) end`.as("html");

function selection<Html>(kind: CheckKind, webPageId: string, muted: boolean) {
  const { states, firstSeenAt } = pageIssueStates(kind, webPageId, muted);
  return [boundedHtml<Html>(), states.as("states"), firstSeenAt.as("first_seen_at")] as const;
}

const htmlSelection = (webPageId: string, muted: boolean) => selection<HtmlIssueRow["html"]>("html", webPageId, muted);
const a11ySelection = (webPageId: string, muted: boolean) => selection<A11yIssueRow["html"]>("a11y", webPageId, muted);

/** The HTML issues of one page: by default errors first, then the most frequent first. */
export async function listHtmlIssues(
  db: Kysely<Database>,
  webPageId: string,
  query: IssueQuery,
): Promise<Paginated<HtmlIssueRow>> {
  const { muted } = query;
  let found = db.selectFrom("html_issues").where("web_page_id", "=", webPageId).where(hasMuted(muted));
  for (const condition of issueConditions("html", "html_issues", query)) found = found.where(condition);
  if (query.state) found = found.where(pageIssueStates("html", webPageId, muted).has(query.state));
  const rows = found.select([...htmlColumns, ...htmlSelection(webPageId, muted)]);
  const { direction } = query.sort ?? {};
  const ordered = direction
    ? rows.orderBy(elementsMuted(muted), direction).orderBy("id", opposite(direction))
    : rows.orderBy("issue_type").orderBy(elementsMuted(muted), "desc").orderBy("id");
  const listed = await readPage(found, ordered, query.page, bytesOf("html"));
  return { ...listed, rows: await withElementsMuted(db, "html", listed.rows, muted) };
}

/** The accessibility issues of one page: by default the most severe first, then the most frequent first. */
export async function listA11yIssues(
  db: Kysely<Database>,
  webPageId: string,
  query: IssueQuery,
): Promise<Paginated<A11yIssueRow>> {
  const { muted } = query;
  let found = db.selectFrom("a11y_issues").where("web_page_id", "=", webPageId).where(hasMuted(muted));
  for (const condition of issueConditions("a11y", "a11y_issues", query)) found = found.where(condition);
  if (query.state) found = found.where(pageIssueStates("a11y", webPageId, muted).has(query.state));
  const rows = found.select([...a11yColumns, ...a11ySelection(webPageId, muted)]);
  const { key, direction = "desc" } = query.sort ?? {};
  const first = key ? rows : rows.orderBy("review");
  const bySeverity = key === "how_many" ? first : first.orderBy("impact_order", direction);
  const ordered = bySeverity.orderBy(elementsMuted(muted), direction).orderBy("id", opposite(direction));
  const listed = await readPage(found, ordered, query.page, bytesOf("html"));
  return { ...listed, rows: await withElementsMuted(db, "a11y", listed.rows, muted) };
}

/** One issue of a page, with its muted findings or the others. One that is muted as a whole is found either way. */
export async function findHtmlIssue(
  db: Kysely<Database>,
  webPageId: string,
  id: string,
  muted: boolean,
): Promise<HtmlIssueRow | undefined> {
  const rows = await db
    .selectFrom("html_issues")
    .select([...htmlColumns, ...htmlSelection(webPageId, muted)])
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .execute();
  return (await withElementsMuted(db, "html", rows, muted))[0];
}

export async function findA11yIssue(
  db: Kysely<Database>,
  webPageId: string,
  id: string,
  muted: boolean,
): Promise<A11yIssueRow | undefined> {
  const rows = await db
    .selectFrom("a11y_issues")
    .select([...a11yColumns, ...a11ySelection(webPageId, muted)])
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .execute();
  return (await withElementsMuted(db, "a11y", rows, muted))[0];
}

/** For ties, so that ascending order is the exact reverse of descending order. */
function opposite(direction: "asc" | "desc"): "asc" | "desc" {
  return direction === "asc" ? "desc" : "asc";
}
