/** Why a page is in a sample. */
export const drawnBy = ["template", "random"] as const;

/** A page that a person looks at. */
export type SampledPage = {
  url: string;
  /** Of pages of equal structure; null where structures were not compared. */
  template: string | null;
  drawn: (typeof drawnBy)[number];
};

/**
 * How a sample is drawn, as WCAG-EM asks (https://www.w3.org/TR/WCAG-EM/#step3): so many pages of each template, of those with the most
 * pages, and some of all others at random.
 */
export const OF_A_TEMPLATE = 2;
export const MAX_TEMPLATES = 25;
export const AT_RANDOM = 2;
