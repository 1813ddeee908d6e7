import { type Kysely, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { StateElements } from "../findings/state-elements.ts";
import { bytesOf, type Paginated, readPage } from "../lists.ts";
import { MAX_PAGE_BYTES } from "../page-size.ts";
import type { Database } from "../tables.ts";
import { type IssueQuery, issueConditions, pageIssueStates } from "./issue-query.ts";
import { elementsMuted, hasMuted, withElementsMuted } from "./muted-elements.ts";

export type IssueRow = Selectable<Database["issues"]> & { states: StateElements; first_seen_at: Date };

/** All columns but the elements. */
const columns = [
  ...(["id", "report_id", "web_page_id", "kind", "common_id", "issue_type", "rule", "message", "help_url"] as const),
  ...(["impact_order", "outside_standard", "tags", "how_many", "muted_count", "muting_id"] as const),
  ...(["inserted_at", "updated_at"] as const),
] as const;

/** As many elements of an issue as fit into a response: a checker that was taken over may have stored any number. */
const boundedHtml = sql<IssueRow["html"]>`
  case when octet_length(html::text) <= ${sql.lit(MAX_PAGE_BYTES)} then html else (
    select coalesce(jsonb_agg(element order by place), '[]') from (
      select element, place, sum(octet_length(element::text) + 2) over (order by place) as bytes
      from jsonb_array_elements(html) with ordinality as elements (element, place)
    ) counted where bytes <= ${sql.lit(MAX_PAGE_BYTES)}
  ) end`.as("html");

function selection(webPageId: string, muted: boolean) {
  const { states, firstSeenAt } = pageIssueStates(webPageId, muted);
  return [...columns, boundedHtml, states.as("states"), firstSeenAt.as("first_seen_at")] as const;
}

/** The issues of a kind on one page: by default errors first, the most severe first, then the most frequent first. */
export async function listIssues(
  db: Kysely<Database>,
  kind: CheckKind,
  webPageId: string,
  query: IssueQuery,
): Promise<Paginated<IssueRow>> {
  const { muted } = query;
  let found = db
    .selectFrom("issues")
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .where(hasMuted(muted));
  for (const condition of issueConditions("issues", query)) found = found.where(condition);
  if (query.state) found = found.where(pageIssueStates(webPageId, muted).has(query.state));
  const rows = found.select(selection(webPageId, muted));
  const { key, direction = "desc" } = query.sort ?? {};
  const first = key ? rows : rows.orderBy("issue_type");
  const bySeverity = key === "how_many" ? first : first.orderBy("impact_order", direction);
  const ordered = bySeverity.orderBy(elementsMuted(muted), direction).orderBy("id", opposite(direction));
  const listed = await readPage(found, ordered, query.page, bytesOf("html"));
  return { ...listed, rows: await withElementsMuted(db, listed.rows, muted) };
}

/** One issue of a page, with its muted findings or the others. One that is muted as a whole is found either way. */
export async function findIssue(
  db: Kysely<Database>,
  kind: CheckKind,
  webPageId: string,
  id: string,
  muted: boolean,
): Promise<IssueRow | undefined> {
  const rows = await db
    .selectFrom("issues")
    .select(selection(webPageId, muted))
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .execute();
  return (await withElementsMuted(db, rows, muted))[0];
}

/** For ties, so that ascending order is the exact reverse of descending order. */
function opposite(direction: "asc" | "desc"): "asc" | "desc" {
  return direction === "asc" ? "desc" : "asc";
}
