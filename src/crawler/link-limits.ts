import { MAX_URL_LENGTH } from "../schema/crawl-target.ts";

/** What is read of one page's links. A page with more of them is not made for people. */
export type LinkLimits = {
  /** Distinct links. */
  maxLinks: number;
  /** Characters of all links together. They are absolute, so a long base makes every link long. */
  maxLinkCharacters: number;
  /** A longer base is ignored, and a link of four times this length is not resolved: both cost time for each link. */
  maxUrlLength: number;
};

export const linkLimits: LinkLimits = {
  maxLinks: 50_000,
  maxLinkCharacters: 10_000_000,
  maxUrlLength: MAX_URL_LENGTH,
};
