import { withoutFragment } from "../../../domain/addresses/without-fragment.ts";
import { isIncluded, matchedExclusion, normaliseUrl } from "../../../domain/scope/url-scope.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import type { Named } from "./named.ts";
import { type Found, isExternal, type Needed, names, wrongAddress } from "./rules.ts";

/** Addresses that are kept in memory: most pages of a site need the same ones. */
const MAX_KEPT = 20_000;

/** An address that pages need, whatever its fragment. */
export type Address = {
  /** As the report knows it. */
  url: string;
  isExternal: boolean;
  /** The report's globs ask for it to be checked. */
  isWanted: boolean;
  /** No browser requests it: it is judged as it is written. */
  isWrong: boolean;
  /** What was found out, by what it is needed for. */
  found: Map<string, Finding>;
};

/** What is being, or was, found out. */
export type Finding = {
  promise: Promise<Found>;
  /** Undefined until it has been found out. */
  value?: Found;
  /** What a style sheet or a manifest names. */
  named?: Named;
};

export type Addresses = {
  /** @param page the URL of the page that needs it */
  of(reference: Needed, page: string): Address;
  /** Forgets what was found out: it is to be found out again. */
  clear(): void;
};

/** Keeps what is found out of addresses as long as it is needed, for all pages of a report. */
export function createAddresses({ ignoredParameters, includeLinks, excludeLinks }: ReportSpec): Addresses {
  const globs = { host: "", exclusions: [], includeGlobs: includeLinks, excludeGlobs: excludeLinks };
  /** By the page's host, because that decides what is external. The second have not been needed since the first are kept. */
  let [kept, before] = [new Map<string, Address>(), new Map<string, Address>()];
  const read = (reference: Needed, page: string, written: string): Address => {
    const external = isExternal(written, page);
    // Parameters that do not make another document may make another image.
    const ignored = reference.as === "link" ? ignoredParameters : [];
    const isWrong = reference.invalid || wrongAddress(reference, page) !== undefined;
    return {
      url: external || isWrong ? written : normaliseUrl(written, ignored),
      isExternal: external,
      isWanted: isIncluded(written, globs) && matchedExclusion(written, globs) === undefined,
      isWrong,
      found: new Map(),
    };
  };
  return {
    of(reference, page) {
      const written = withoutFragment(reference.url);
      const key = `${reference.as === "link" ? "" : "-"}${hostOf(page)}${reference.invalid ? "!" : " "}${written}`;
      const known = kept.get(key);
      if (known) return known;
      const address = before.get(key) ?? read(reference, page, written);
      if (kept.size >= MAX_KEPT) [kept, before] = [new Map(), kept];
      kept.set(key, address);
      return address;
    },
    clear() {
      [kept, before] = [new Map(), new Map()];
    },
  };
}

function hostOf(page: string): string {
  const start = page.indexOf("//") + 2;
  return page.slice(start, page.indexOf("/", start));
}

/** What makes a difference to what is found out at an address. */
export function wayOf({ as, nofollow }: Needed): string {
  return `${names(as) ? as : ""}${nofollow ? " nofollow" : ""}`;
}
