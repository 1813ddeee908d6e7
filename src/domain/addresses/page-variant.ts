import { type CheckKind, needsBrowser, needsSource } from "../../checks/kinds.ts";
import { matchedGlob } from "../scope/url-scope.ts";

/**
 * A page on a further device, or in a state such as with its menu open, is a page of its own. Its URL has both as
 * fragment directives: a part that browsers take off before a page sees it
 * (https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive), so that it still opens the page.
 */
const DELIMITER = ":~:";

/** How a page is looked at, other than as it loads on the report's device. */
export type Variant = {
  /** The device's name as `deviceKey` writes it. */
  device?: string;
  /** The state's name. */
  state?: string;
};

/** The URL of a variant of a page; that of the page for none. @param page without directives */
export function urlOfVariant(page: string, { device, state }: Variant): string {
  const directives = [device !== undefined && `device=${device}`, state !== undefined && `state=${state}`];
  const written = directives.filter((one) => one !== false).join("&");
  if (written === "") return page;
  return `${page}${page.includes("#") ? "" : "#"}${DELIMITER}${written}`;
}

/** The variant that the URL of a page names. */
export function variantOf(url: string): Variant {
  const at = directivesAt(url);
  if (at === -1) return {};
  const directives = url.slice(at + DELIMITER.length).split("&");
  const directive = (name: string) => directives.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const [device, state] = [directive("device"), directive("state")];
  return { ...(device !== undefined && { device }), ...(state !== undefined && { state }) };
}

/** Whether a URL is that of a variant of a page. */
export function isVariant(url: string): boolean {
  const { device, state } = variantOf(url);
  return device !== undefined || state !== undefined;
}

/** The URL of the page that a variant is of. */
export function withoutVariant(url: string): string {
  const at = directivesAt(url);
  if (at === -1) return url;
  return url.slice(0, url[at - 1] === "#" ? at - 1 : at);
}

/** A page's URL as people read it: of a page on a further device or in a state, with the name in place of a fragment. */
export function urlText(url: string): string {
  const { device, state } = variantOf(url);
  return [withoutVariant(url), device, state].filter((part) => part !== undefined).join(" · ");
}

function directivesAt(url: string): number {
  const hash = url.indexOf("#");
  return hash === -1 ? -1 : url.indexOf(DELIMITER, hash);
}

/**
 * The kinds of checks of a page. A variant is looked at in a browser only, and a view behind a `#` shares the document of
 * its page, which is checked there.
 *
 * @param kinds those of the report
 */
export function kindsFor(url: string, kinds: readonly CheckKind[]): CheckKind[] {
  if (isVariant(url)) return kinds.filter(needsBrowser);
  return kinds.filter((kind) => !needsSource(kind) || !url.includes("#"));
}

/** A device's name as URLs have it: `iPhone 15 landscape` is `iphone-15-landscape`. */
export function deviceKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** What is meant for the pages that a glob matches, or for all. */
type ForPages = { url?: string | undefined };

/** What of a definition is meant for some pages only. */
export type Steps = { prepare: readonly ForPages[]; states: readonly (ForPages & { name: string })[] };

/** What is meant for none of these pages, in words. @param pages their URLs */
export function unusedSteps({ prepare, states }: Steps, pages: readonly string[]): string[] {
  const named = [
    ...prepare.map(({ url }, index) => ({ url, what: `number ${index + 1} of prepare` })),
    ...states.map(({ url, name }) => ({ url, what: `the state ${name}` })),
  ];
  const unused = (one: ForPages): boolean => {
    const isMeant = forPage([one]);
    return !pages.some((page) => isMeant(page).length > 0);
  };
  return named.filter((one) => one.url !== undefined && unused(one)).map(({ what, url }) => `${url} of ${what}`);
}

/** @returns a function that tells what of a list is meant for a page, in order */
export function forPage<One extends ForPages>(list: readonly One[]): (url: string) => One[] {
  const globs = list.map(({ url }) => (url === undefined ? undefined : [url]));
  return (url) => {
    const address = withoutVariant(url);
    return list.filter((_, index) => !globs[index] || matchedGlob(address, globs[index]) !== undefined);
  };
}

/**
 * @param devices keys of the further devices
 * @returns a function that gives the URLs of all variants of a page: its states, and both page and states on each device
 */
export function variantsOfPages(
  states: readonly (ForPages & { name: string })[],
  devices: readonly string[],
): (page: string) => string[] {
  const statesFor = forPage(states);
  return (page) => {
    const ofPage = [{}, ...statesFor(page).map(({ name }) => ({ state: name }))];
    const all = [{}, ...devices.map((device) => ({ device }))].flatMap((on) =>
      ofPage.map((one) => ({ ...on, ...one })),
    );
    // Kubernetes may have taken a list with a name twice.
    return [...new Set(all.slice(1).map((variant) => urlOfVariant(page, variant)))];
  };
}
