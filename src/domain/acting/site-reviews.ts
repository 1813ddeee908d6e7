import { isVariant } from "../addresses/page-variant.ts";
import type { A11yIssue } from "../findings/findings.ts";
import { understandingUrl } from "../findings/success-criteria.ts";
import { factLimits, linkDigest, type PageFacts, type PlacedLink } from "./page-facts.ts";
import { actingRules, criterionOfRule, type SiteRuleName, tagsOfRule } from "./rules.ts";

/** A page of the report with what is known of it. */
export type ReviewedPage = {
  id: string;
  url: string;
  /** The first page that links to it; null for one that a sitemap or a list names. */
  linkedFrom: string | null;
  facts: PageFacts;
};

/** What a comparison of pages says about one of them; `extract` is what it is about. */
export type SiteFault = { page: ReviewedPage; rule: SiteRuleName; extract: string; summary: string };

/** As few pages as say something about a site. */
const MIN_PAGES = 3;
/** A thing is as most pages have it if so many times as many have it as have another one. */
const MAJORITY = 2;
/** Links between the pages of a series, whose place is another one on each. */
const IN_SERIES =
  /^(?:next|prev|previous|up|back|forward|first|last|parent|next page|previous page|weiter|zurück|nächste|vorherige|suivant|précédent|siguiente|anterior|avanti|indietro)(?: |$)/;
const HELP =
  /\b(?:help|support|contact|faq|chat|hilfe|kontakt|aide|ayuda|contacto|contatto|assistenza|hulp|hjälp|pomoc)/i;

/**
 * Compares the pages of a site. All that is found is for a person to judge.
 *
 * @param options.isWhole the crawl has found all pages, and all of their links are known (`areLinksKnown`)
 */
export function reviewPages(all: readonly ReviewedPage[], options: { isWhole: boolean }): SiteFault[] {
  // A variant of a page has the title and the navigation of the page.
  const pages = all.filter(({ url }) => !isVariant(url));
  return [
    ...sameTitles(pages),
    // Links are paths: those of several hosts are not the same.
    ...[...Map.groupBy(pages, ({ url }) => new URL(url).host).values()].flatMap((some) => [
      ...navigationOrder(some),
      ...namesOfFunctions(some),
      ...placesOfHelp(some),
    ]),
    ...(options.isWhole ? oneWayOnly(pages) : []),
  ];
}

/** How many redirects are followed behind each other. */
const MAX_HOPS = 5;

/**
 * The pages with links to where they lead: addresses of one page count as one.
 *
 * @param redirects from address to address, as the crawl met them
 */
export function withRedirects(pages: readonly ReviewedPage[], redirects: ReadonlyMap<string, string>): ReviewedPage[] {
  const pathOn = (origin: string, url: URL): string => (url.origin === origin ? url.pathname + url.search : url.href);
  /** What links to an address on its own site are, and what they are when they lead to where it redirects. */
  const led = new Map<string, { path: string; to: string; origin: string }>();
  for (const from of redirects.keys()) {
    let at = from;
    for (let hops = 0; hops < MAX_HOPS; hops += 1) at = redirects.get(at) ?? at;
    // A compromised crawler may have written anything.
    const [url, end] = [URL.parse(from), URL.parse(at)];
    if (!url || !end) continue;
    const { origin } = url;
    led.set(from, { origin, path: pathOn(origin, url), to: pathOn(origin, end) });
  }
  const digests = new Map<string, Map<string, string>>();
  for (const [origin, some] of Map.groupBy(led.values(), (one) => one.origin))
    digests.set(origin, new Map(some.map(({ path, to }) => [linkDigest(path), linkDigest(to)])));
  return pages.map((page): ReviewedPage => {
    const { origin } = new URL(page.url);
    const { placed, links } = page.facts;
    const facts = {
      ...page.facts,
      placed: placed.map((link) => ({ ...link, target: led.get(origin + link.target)?.to ?? link.target })),
      links: [...new Set(links.map((link) => digests.get(origin)?.get(link) ?? link))],
    };
    return { ...page, facts };
  });
}

/** Whether no page has more links than are kept. */
export function areLinksKnown(pages: readonly ReviewedPage[]): boolean {
  return pages.every(({ facts }) => facts.links.length < factLimits.links);
}

/** Equal titles of pages that are about something else: with another heading and another text. */
function sameTitles(pages: readonly ReviewedPage[]): SiteFault[] {
  const titled = pages.filter(({ facts }) => facts.title !== "");
  return [...Map.groupBy(titled, ({ facts }) => facts.title.toLowerCase()).values()].flatMap((group) =>
    group.flatMap((page): SiteFault[] => {
      const others = group.filter(
        ({ facts }) =>
          facts.text !== page.facts.text && (facts.heading !== page.facts.heading || page.facts.heading === ""),
      );
      if (others.length === 0) return [];
      const extract = `<title>${page.facts.title}</title>`;
      const summary = `${listed(others)} ${others.length === 1 ? "has" : "have"} the same title, and ${others.length === 1 ? "is" : "are"} about something else.`;
      return [{ page, rule: "sv-same-title", extract, summary }];
    }),
  );
}

/** Links that most pages have in their header and navigation, in another order than on most. */
function navigationOrder(pages: readonly ReviewedPage[]): SiteFault[] {
  const orders = pages.map((page) => ({ page, links: navigationOf(page) })).filter(({ links }) => links.length > 1);
  const counts = countsOf(orders.flatMap(({ links }) => links.map(({ target }) => target)));
  const usual = new Set([...counts].flatMap(([target, count]) => (count > orders.length / 2 ? [target] : [])));
  const sorted = orders
    .map(({ page, links }) => ({ page, links: links.filter(({ target }) => usual.has(target)) }))
    .filter(({ links }) => links.length === usual.size);
  const most = mostCommon(sorted, ({ links }) => links.map(({ target }) => target).join(" "));
  if (!most || usual.size < 2) return [];
  const expected = most.all[0]?.links ?? [];
  return most.others.flatMap(({ page, links }): SiteFault[] => {
    const at = links.findIndex(({ target }, place) => target !== expected[place]?.target);
    const [own, theirs] = [links[at], expected[at]];
    if (!own || !theirs) return [];
    const summary = `Here "${own.name}" comes before "${theirs.name}", and behind it on ${listed(most.all.map((one) => one.page))}.`;
    return [{ page, rule: "sv-navigation-order", extract: extractOf(own), summary }];
  });
}

/**
 * Links of header, navigation and footer that lead to the same place, under another name than on most pages. Only those of
 * more than half of the pages: a link to what comes next has the name of each page's own place in a series.
 */
function namesOfFunctions(pages: readonly ReviewedPage[]): SiteFault[] {
  return byTarget(pages).flatMap((some) => {
    const perPage = [...Map.groupBy(some, ({ page }) => page).values()];
    if (2 * perPage.length <= pages.length || some.some(({ link }) => IN_SERIES.test(plain(link.name)))) return [];
    // A page that has two names for it, such as a logo and a word, shows both to everybody.
    if (perPage.some((links) => new Set(links.map(({ link }) => plain(link.name))).size > 1)) return [];
    const firsts = perPage.flatMap((links) => links.slice(0, 1)).filter(({ link }) => plain(link.name) !== "");
    const most = mostCommon(firsts, ({ link }) => plain(link.name));
    if (!most) return [];
    const usual = most.all[0]?.link.name;
    return most.others.map(({ page, link }): SiteFault => {
      const summary = `The link to ${link.target} is named "${link.name}" here, and "${usual}" on ${listed(most.all.map((one) => one.page))}.`;
      return { page, rule: "sv-same-function", extract: extractOf(link), summary };
    });
  });
}

/** Links to help and contact in another part of the page than on most. */
function placesOfHelp(pages: readonly ReviewedPage[]): SiteFault[] {
  return byTarget(pages)
    .filter((some) => some.some(({ link }) => HELP.test(link.name)))
    .flatMap((some) => {
      const perPage = [...Map.groupBy(some, ({ page }) => page).values()].flatMap((links) => {
        const where = [...new Set(links.map(({ link }) => link.place))].toSorted().join(" and ");
        return links.slice(0, 1).map(({ page, link }) => ({ page, link, where }));
      });
      const most = mostCommon(perPage, ({ where }) => where);
      if (!most) return [];
      return most.others.map(({ page, link, where }): SiteFault => {
        const summary = `"${link.name}" is in the ${where} here, and in the ${most.all[0]?.where} on ${listed(most.all.map((one) => one.page))}.`;
        return { page, rule: "sv-help-place", extract: extractOf(link), summary };
      });
    });
}

/** Pages to which one page alone links, on a site without a search and without a sitemap. */
function oneWayOnly(pages: readonly ReviewedPage[]): SiteFault[] {
  const [start] = pages;
  const hasOther =
    pages.some(({ facts }) => facts.hasSearch) || pages.some((page) => page !== start && page.linkedFrom === null);
  if (pages.length < MIN_PAGES || hasOther) return [];
  const from = new Map<string, ReviewedPage[]>();
  for (const page of pages)
    for (const link of new Set(page.facts.links)) {
      const known = from.get(link);
      if (known) known.push(page);
      else from.set(link, [page]);
    }
  return pages.flatMap((page): SiteFault[] => {
    const { pathname, search } = new URL(page.url);
    const others = (from.get(linkDigest(pathname + search)) ?? []).filter((one) => one !== page);
    // A view behind a #, or behind a redirect, has links that are not told from those to other pages.
    if (page.url.includes("#") || !others.some(({ url }) => url === page.linkedFrom)) return [];
    // Whoever is at the start is one step away.
    if (page === start || others.length !== 1 || others[0] === start) return [];
    const summary = `Only ${others[0]?.url} links to this page, and the site has neither a search nor a sitemap that was found.`;
    return [{ page, rule: "sv-one-way", extract: "", summary }];
  });
}

function navigationOf({ facts }: ReviewedPage): PlacedLink[] {
  const links = facts.placed.filter(({ place }) => place !== "footer");
  return links.filter(({ target }, at) => links.findIndex((one) => one.target === target) === at);
}

type LinkOnPage = { page: ReviewedPage; link: PlacedLink };

/** The links of header, navigation and footer by what they lead to, if that is on several pages. */
function byTarget(pages: readonly ReviewedPage[]): LinkOnPage[][] {
  const all = pages.flatMap((page) => page.facts.placed.map((link) => ({ page, link })));
  return [...Map.groupBy(all, ({ link }) => link.target).values()].filter(
    (some) => new Set(some.map(({ page }) => page)).size >= MIN_PAGES,
  );
}

function countsOf(all: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(all, (one) => one)].map(([one, some]) => [one, some.length]));
}

/** The pages that have something as most have it, and the others; undefined if no way of having it is that of most. */
function mostCommon<One>(all: readonly One[], keyOf: (one: One) => string): { all: One[]; others: One[] } | undefined {
  const groups = [...Map.groupBy(all, keyOf).values()].toSorted((a, b) => b.length - a.length);
  const [most, next] = groups;
  if (!most || !next || most.length < MIN_PAGES - 1 || most.length < MAJORITY * (all.length - most.length))
    return undefined;
  const ofMost = new Set(most);
  return { all: most, others: all.filter((one) => !ofMost.has(one)) };
}

/** A name without numbers, such as those of things in a basket, and without marks of the current page. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/\(.*?\)|\d+|[^\p{L}\p{N}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function extractOf({ name, target }: PlacedLink): string {
  return `<a href="${target}">${name}</a>`;
}

function listed(pages: readonly ReviewedPage[]): string {
  const [first, second] = pages;
  if (!second) return first?.url ?? "";
  return pages.length === 2 ? `${first?.url} and ${second.url}` : `${first?.url} and ${pages.length - 1} more pages`;
}

/** The faults as issues of their pages; each rule once a page. */
export function siteIssues(faults: readonly SiteFault[]): Map<ReviewedPage, A11yIssue[]> {
  const byPage = Map.groupBy(faults, ({ page }) => page);
  const issueOf = (rule: SiteRuleName, some: readonly SiteFault[]): A11yIssue => ({
    issue_type: "warning",
    rule,
    message: actingRules[rule].help,
    help_url: understandingUrl(criterionOfRule(rule)),
    impact: actingRules[rule].impact,
    tags: tagsOfRule(rule),
    html: some.slice(0, 1).map(({ extract, summary }) => ({
      ...{ extract, target: "html", box: null, element: null },
      failure_summary: some.length === 1 ? summary : `${summary} And ${some.length - 1} more.`,
    })),
  });
  return new Map(
    [...byPage].map(([page, some]) => [
      page,
      [...Map.groupBy(some, ({ rule }) => rule)].map(([rule, ofRule]) => issueOf(rule, ofRule)),
    ]),
  );
}
