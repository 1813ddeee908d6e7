import { matchedGlob } from "./url-scope.ts";
import { withoutFragment } from "./without-fragment.ts";

/**
 * A page in a state, such as with its menu open, is a page of its own. Its URL has the state as a fragment directive: a
 * part that browsers take off before a page sees it (https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive),
 * so that it still opens the page.
 */
const DIRECTIVE = "#:~:state=";

/** The URL of a page in a state. */
export function urlInState(url: string, state: string): string {
  return `${withoutFragment(url)}${DIRECTIVE}${state}`;
}

/** The state that the URL of a page names; null for the page as it loads. */
export function stateOf(url: string): string | null {
  const at = url.indexOf(DIRECTIVE);
  return at === -1 ? null : url.slice(at + DIRECTIVE.length);
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
    const address = withoutFragment(url);
    return list.filter((_, index) => !globs[index] || matchedGlob(address, globs[index]) !== undefined);
  };
}
