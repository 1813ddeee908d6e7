import { type Kysely, type RawBuilder, sql } from "kysely";
import {
  type ComponentSort,
  type LargestComponents,
  MAX_FIRST,
  sumsOfLargest,
  usualSort,
} from "../../domain/findings/components.ts";
import { fittingSize, type Page, type Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";
import {
  type ComponentCounts,
  type ComponentPage,
  groupFindings,
  readComponents,
  readFirst,
  storedComponents,
} from "./components.ts";
import { bytesOfFinding, type FindingDetails, type FindingFilter, findingsWhere, readFindings } from "./findings.ts";

/** Findings of one rule at the same element of several pages: a fault of a template. */
export type Component = Omit<ComponentCounts, "finding_id"> & {
  /** Its first finding, which stands for all of them. */
  example: FindingDetails;
};

/** `repeated`: only those on several pages. */
export type ComponentFilter = FindingFilter & { repeated?: boolean };

export type Components = Paginated<Component> & { howMany: number; largest: LargestComponents[] };

/**
 * A page of the components of a report's findings, by default those on the most pages first. Ascending order is the
 * exact reverse of descending order. With a state, it counts the elements in that state.
 */
export async function listComponents(
  db: Kysely<Database>,
  reportId: string,
  filter: ComponentFilter,
  sort: ComponentSort,
  page: Page,
): Promise<Components> {
  const found =
    (await fromFirst(db, reportId, filter, sort, page)) ?? (await fromAll(db, reportId, filter, sort, page));
  const ids = found.page.map(({ finding_id }) => finding_id);
  const examples = new Map((await readFindings(db, ids, filter.comparisonId)).map((finding) => [finding.id, finding]));
  const components = found.page.flatMap(({ finding_id, ...component }) => {
    const example = examples.get(finding_id);
    return example ? [{ ...component, example }] : [];
  });
  const size = fittingSize(
    components.map(({ example }) => bytesOfFinding(example)),
    page,
  );
  return {
    rows: components.slice(0, size),
    size,
    total: found.total,
    howMany: found.howMany,
    largest: sumsOfLargest(found.largest),
  };
}

/** @returns undefined when the page is not among those that people look at first, or these are not stored */
async function fromFirst(
  db: Kysely<Database>,
  reportId: string,
  filter: ComponentFilter,
  { key, direction }: ComponentSort,
  { limit, offset }: Page,
): Promise<ComponentPage | undefined> {
  const isUsual = isUnfiltered(filter) && key === usualSort.key && direction === usualSort.direction;
  const first = isUsual && offset + limit <= MAX_FIRST ? await readFirst(db, reportId) : undefined;
  const listed = filter.repeated && first ? firstRepeated(first) : first;
  return listed && { ...listed, page: listed.page.slice(offset, offset + limit) };
}

/** Those on several pages, which come first; undefined if there may be more of them than are stored. */
function firstRepeated({ total, page }: ComponentPage): ComponentPage | undefined {
  const repeated = page.filter(({ num_pages }) => num_pages > 1);
  if (repeated.length === page.length && total > page.length) return undefined;
  const largest = repeated.map(({ how_many }) => how_many).sort((a, b) => b - a);
  return { total: repeated.length, howMany: largest.reduce((sum, one) => sum + one, 0), largest, page: repeated };
}

/** From what is stored of all components, or else from the findings. */
async function fromAll(
  db: Kysely<Database>,
  reportId: string,
  filter: ComponentFilter,
  sort: ComponentSort,
  page: Page,
): Promise<ComponentPage> {
  // Of one state of the database: they may be stored anew meanwhile.
  const stored = await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const components = await storedComponents(trx, reportId, filter);
      return components && readComponents(trx, onPages(components, filter), sort, page);
    });
  const howMany = filter.state === undefined ? sql`f.how_many` : sql`c.how_many`;
  if (stored) return stored;
  const grouped = groupFindings(findingsWhere(reportId, filter), howMany);
  return readComponents(db, onPages(grouped, filter), sort, page);
}

function onPages(components: RawBuilder<unknown>, { repeated }: ComponentFilter): RawBuilder<unknown> {
  return repeated ? sql`select * from (${components}) grouped where num_pages > 1` : components;
}

function isUnfiltered({
  kind,
  outsideStandard,
  rule,
  impact,
  issueType,
  state,
  component,
  folder,
  role,
  webPageId,
  muted,
}: FindingFilter): boolean {
  return (
    !muted &&
    [kind, outsideStandard, rule, impact, issueType, state, component, folder, role, webPageId].every(
      (value) => value === undefined,
    )
  );
}
