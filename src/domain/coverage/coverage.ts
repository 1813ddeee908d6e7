import type { ExclusionReason, Failure, FailureCode } from "../failure.ts";
import { number } from "../plural.ts";
import { MAX_EXAMPLES, type NoticeCode, type NoticeExample, type NoticeGroup, noticeTexts } from "./notices.ts";

/** What the result of a report that has ended covers, as it is stored with the report. */
export type Coverage = {
  /** False when a notice is a gap. */
  complete: boolean;
  pages: CoveredPages & {
    /** Addresses that are no pages of the report, by reason; without reasons that have none. */
    left_out: Partial<Record<ExclusionReason, number>>;
  };
  /** Gaps first, in the order of noticeTexts. */
  notices: NoticeGroup[];
};

/**
 * A page is checked when each of its checks has a result, and failed when one of them has failed. `without_page` of those
 * that failed lead to no page (noPageCodes, goneStatuses); reports of earlier versions do not say how many.
 */
export type CoveredPages = { found: number; checked: number; failed: number; without_page?: number };

/** How many rows there are of a kind, and the first of them. */
export type Counted = { how_many: number; examples: NoticeExample[] };

/** The pages that acting left out, because they are like others, and how many it did not. */
export type AlikePages = Counted & {
  acted: number;
  /** Of all of them together. */
  templates: number;
};

/** So many templates are said, if most pages are of one that they share with few. */
const MANY_TEMPLATES = 30;

export type CoverageInput = {
  pages: CoveredPages;
  leftOut: Partial<Record<ExclusionReason, Counted>>;
  /** Pages that failed although there is a page (noPageCodes, goneStatuses), without those on which an engine did not end. */
  failed: Counted;
  /** Whether no check of any kind has a result. */
  nothingChecked: boolean;
  /** Why the report failed, or why its crawl was cut short. */
  failure: Failure | null;
  /** Exclusions that matched no address. */
  unusedExclusions: readonly string[];
  alike: AlikePages;
  /** States and preparations whose glob matches no page, in words. */
  unusedSteps: readonly string[];
  /** What is stored in report_notices. */
  stored: readonly NoticeGroup[];
};

/** Failures of the crawl that say that the address is no page of the site: nothing is left out. */
export const noPageCodes: readonly FailureCode[] = ["not_html", "off_site", "redirected", "excluded"];
/** Statuses of pages that do not exist: the link is broken, and nothing is left out. */
export const goneStatuses: readonly number[] = [404, 410];

/** What a report covers, from what is counted of it. */
export function coverageOf(input: CoverageInput): Coverage {
  const { pages, leftOut, stored } = input;
  const groups = new Map<NoticeCode, NoticeGroup>(stored.map((group) => [group.code, group]));
  for (const [code, counted] of Object.entries(derived(input)) as [NoticeCode, Counted | undefined][]) {
    if (!counted || counted.how_many === 0) continue;
    const { how_many, examples } = counted;
    const more = leftOut.list_limit !== undefined && code in leftOut && code !== "list_limit";
    groups.set(code, { code, how_many, num_urls: how_many, more, examples: examples.slice(0, MAX_EXAMPLES) });
  }
  const pageLimit = atPageLimit(leftOut, groups.get("page_limit"));
  if (pageLimit) groups.set("page_limit", pageLimit);
  const notices = inOrder([...groups.values()]);
  const left_out = Object.fromEntries(
    Object.entries(leftOut).flatMap(([reason, { how_many }]) => (how_many > 0 ? [[reason, how_many]] : [])),
  );
  return { complete: !notices.some(isGap), pages: { ...pages, left_out }, notices };
}

/** The coverage with a note that no row of the report says. */
export function withNote(coverage: Coverage, note: NoticeGroup): Coverage {
  return { ...coverage, notices: inOrder([...coverage.notices, note]) };
}

function inOrder(groups: readonly NoticeGroup[]): NoticeGroup[] {
  const codes = Object.keys(noticeTexts);
  const place = (group: NoticeGroup) => codes.indexOf(group.code) + (isGap(group) ? 0 : codes.length);
  return groups.toSorted((a, b) => place(a) - place(b));
}

/** The addresses beyond the limit: the list of what was left out has them all, or is full, and their number is stored. */
function atPageLimit(
  { page_limit: listed, list_limit }: CoverageInput["leftOut"],
  stored?: NoticeGroup,
): NoticeGroup | undefined {
  const how_many = Math.max(listed?.how_many ?? 0, stored?.how_many ?? 0);
  const examples = (listed?.examples ?? []).slice(0, MAX_EXAMPLES);
  const more = list_limit !== undefined && stored === undefined;
  return how_many === 0 ? undefined : { code: "page_limit", how_many, num_urls: how_many, more, examples };
}

function derived(input: CoverageInput): Partial<Record<NoticeCode, Counted>> {
  const { leftOut, failed, failure, nothingChecked, unusedExclusions, unusedSteps, alike } = input;
  const { trap, list_limit } = leftOut;
  const isVaried = alike.templates > MANY_TEMPLATES && alike.acted > alike.how_many;
  const once = { how_many: 1, examples: failure ? [{ url: "", detail: failure.detail }] : [] };
  return {
    ...(nothingChecked ? { nothing_checked: once } : failure && { crawl_cut_short: once }),
    ...(trap && { trap }),
    ...(list_limit && { list_limit }),
    pages_failed: failed,
    acted_on_examples: { how_many: alike.how_many, examples: alike.examples },
    many_templates: { how_many: isVaried ? alike.templates : 0, examples: [] },
    exclusion_unused: ofTexts(unusedExclusions),
    steps_unused: ofTexts(unusedSteps),
  };
}

/** What is about no address. */
function ofTexts(texts: readonly string[]): Counted {
  return { how_many: texts.length, examples: texts.map((detail) => ({ url: "", detail })) };
}

/** Whether a notice says that something was left out. */
export function isGap({ code }: Pick<NoticeGroup, "code">): boolean {
  return noticeTexts[code].severity === "gap";
}

/** The gaps in one sentence; undefined for none. */
export function gapsSentence({ notices }: Pick<Coverage, "notices">): string | undefined {
  const gaps = notices.filter(isGap).map(noticeSentence);
  return gaps.length === 0 ? undefined : gaps.join(" ");
}

/** What happened, and how often: "Pages could not be checked (3)." */
export function noticeSentence({ code, how_many, more }: Pick<NoticeGroup, "code" | "how_many" | "more">): string {
  const { sentence } = noticeTexts[code];
  if (how_many === 1 && !more) return sentence;
  return `${sentence.replace(/\.$/, "")} (${more ? "at least " : ""}${number(how_many)}).`;
}

/** An example in one text; the address is left out where the detail names it. */
export function exampleText(example: NoticeExample, place = (address: string) => address): string {
  const { url, detail } = example;
  if (detail === "") return place(url);
  return namesAddress(example) ? detail : `${place(url)}: ${detail}`;
}

/** Whether the detail of an example names its address: not only another one that begins with it. */
export function namesAddress({ url, detail }: NoticeExample): boolean {
  return url === "" || detail.split(/\s/).some((word) => word === url || word.replace(/[.:,]$/, "") === url);
}

/**
 * The addresses that were found, for a line of text: `pages` of them are pages, of which `checked` were checked and `failed`
 * could not be; `withoutPage` lead to no page (noPageCodes, goneStatuses).
 */
export function tallyPages({
  pages,
  notices,
}: Pick<Coverage, "pages"> & { notices: readonly Pick<NoticeGroup, "code" | "num_urls">[] }) {
  const of = (code: NoticeCode) => notices.find((group) => group.code === code)?.num_urls ?? 0;
  const withoutPage = pages.without_page ?? pages.failed - of("pages_failed") - of("engine_did_not_end");
  return { pages: pages.found - withoutPage, checked: pages.checked, failed: pages.failed - withoutPage, withoutPage };
}
