import { familyOf } from "../acts/acts.ts";
import { formWords } from "../acts/words.ts";
import { ACTION, simple } from "../sign-in/sign-in-page.ts";

/**
 * Tells addresses that show one document in another way: its history, its source, an older version, the same list in another
 * order or with a filter. A wiki has a dozen for each of its documents, a shop any number.
 */

export type View = {
  /** Addresses of this form are views of the same kind. */
  family: string;
  /** How many of them are visited like other pages. */
  most: number;
};

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** What is shown of a document, as the value of a parameter that names an action. */
const shown = set(
  "history revisions revision diff raw source info viewsource backlink backlinks whatlinkshere recent recentchanges index media " +
    "print printable export exportpdf exportraw exportxhtml rss atom feed subscribe watch login register check credits render markpatrolled",
);
/** Parameters that name a version of a document, or how a list is shown. */
const showing = set(
  "oldid diff rev revision difftype rev2 printable useskin veaction mobileaction redlink printversion replytocom " +
    "sort sortby sortorder sortdir sortfield sortkey order orderby ordering orderdir dir direction asc desc " +
    "filter filters filterby facet facets refine layout display viewmode perpage pagesize itemsperpage resultsperpage",
);
/** Parameters that name a document, or a part of a list, which has other content. */
const naming = set(
  "id title page p pg paged pageid pagenumber pageno start offset from to after before cursor cat category tag topic article post product " +
    "item name slug path file section chapter part step year month day date lang language locale hl l q query s search version v tab order",
);

/** A wiki's kinds are known by name: one of each. Others are only likely: some. */
const MOST = { known: 1, likely: 3 } as const;

/**
 * @param linkedFrom the page that leads there
 * @returns undefined for a document
 */
export function viewOf(href: string, linkedFrom: string | null): View | undefined {
  if (!href.includes("?")) return undefined;
  const url = URL.parse(href);
  if (!url || url.search === "") return undefined;
  if ([...url.searchParams].some(showsAnother)) return { family: familyOf(href), most: MOST.known };
  return addsTo(url, linkedFrom) ? { family: familyOf(href), most: MOST.likely } : undefined;
}

function showsAnother([given, value]: readonly [string, string]): boolean {
  const name = simple(given.replace(/\[.*$/s, ""));
  if (showing.has(name)) return !(name === "order" && /^\d+$/.test(value));
  const word = simple(value);
  return ACTION.has(name) && (shown.has(word) || formWords.has(word) || /^export/.test(word));
}

/**
 * Whether a page leads to itself with more parameters than it has, none of which names a document: a filter. The start of a
 * program that shows all documents by one path has to have some already.
 */
function addsTo(url: URL, linkedFrom: string | null): boolean {
  const from = linkedFrom === null ? null : URL.parse(linkedFrom);
  if (!from || from.host !== url.host || from.pathname !== url.pathname) return false;
  const own = [...from.searchParams].map((pair) => pair.join("="));
  const isProgram = /\/(?:[^/]*\.\w+)?$/.test(url.pathname);
  if (isProgram && own.length === 0) return false;
  const pairs = [...url.searchParams];
  const all = new Set(pairs.map((pair) => pair.join("=")));
  const added = pairs.filter((pair) => !own.includes(pair.join("=")));
  const isMore = own.every((pair) => all.has(pair)) && added.length > 0;
  return isMore && added.every(([name]) => !naming.has(simple(name)) && !/id$/i.test(name));
}
