import { MAX_URL_LENGTH } from "../schema/crawl-target.ts";

/** How many links of one page are read. A page with more of them is not made for people. */
export type LinkLimits = {
  /** Distinct links. */
  maxLinks: number;
  /** Characters of all links together. They are absolute, so a long base makes every link long. */
  maxLinkCharacters: number;
  /** A longer base URL is ignored, and a link over four times this length is not resolved: both would cost time. */
  maxUrlLength: number;
};

export const linkLimits: LinkLimits = {
  maxLinks: 50_000,
  maxLinkCharacters: 10_000_000,
  maxUrlLength: MAX_URL_LENGTH,
};
