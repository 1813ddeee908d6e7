import { actingAttributes } from "../domain/acts/acts.ts";
import { HASH_ROUTE } from "../domain/addresses/hash-route.ts";
import { MAX_PARSED_LENGTH } from "../domain/scope/url-scope.ts";
import { ACCOUNT_LINK_TEXTS } from "../domain/sign-in/sign-in-page.ts";
import { MAX_URL_LENGTH } from "../settings/values.ts";

/** How many links of one page are read. A page with more of them is not made for people. */
export type LinkLimits = {
  /** Distinct links. */
  maxLinks: number;
  /** Characters of all links together. They are absolute, so a long base makes every link long. */
  maxLinkCharacters: number;
  /** A longer base URL is ignored, because it would cost time. */
  maxUrlLength: number;
  /** A longer link is not resolved. It is cut, but stays longer than this, so that it is not taken for another URL. */
  maxParsedLength: number;
  /** Distinct links to views behind a `#`, which are only counted. */
  maxRoutes: number;
  /** What the fragments of such links match. */
  routePattern: string;
  /** Links that may say more than their addresses (acts.ts): their attributes, and what their text is then. */
  maxMarked: number;
  actingAttributes: readonly string[];
  accountPattern: string;
};

export const linkLimits: LinkLimits = {
  maxLinks: 50_000,
  maxLinkCharacters: 10_000_000,
  maxUrlLength: MAX_URL_LENGTH,
  maxParsedLength: MAX_PARSED_LENGTH,
  maxRoutes: 1_000,
  routePattern: HASH_ROUTE,
  maxMarked: 1_000,
  actingAttributes,
  accountPattern: ACCOUNT_LINK_TEXTS,
};
