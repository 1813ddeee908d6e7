import { digest } from "../identity/digest.ts";

/** A link in the header, the navigation or the footer of a page. */
export type PlacedLink = { place: (typeof places)[number]; name: string; target: string };

export const places = ["header", "navigation", "footer"] as const;

/** What is kept of a page, so that it can be compared with the others when all are known. */
export type PageFacts = {
  title: string;
  /** Of its first level; "" for none. */
  heading: string;
  /** A digest of its main text. */
  text: string;
  placed: PlacedLink[];
  hasSearch: boolean;
  /** Digests of the paths that it links to on its own site (`linkDigest`). */
  links: string[];
};

export function linkDigest(path: string): string {
  return digest([path]).slice(0, 10);
}

/** Limits of what is kept: the result of a hostile page must not fill the database. */
export const factLimits = { text: 200, target: 200, placed: 60, links: 400 };

/** Reads stored facts. A compromised checker may have written anything. @returns undefined for what are none */
export function readFacts(value: unknown): PageFacts | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { title, heading, text, placed, hasSearch, links } = value as Partial<Record<keyof PageFacts, unknown>>;
  if (![title, heading, text].every(isShort) || !Array.isArray(placed) || !Array.isArray(links)) return undefined;
  const isPlaced = (one: Partial<PlacedLink> | null) =>
    isShort(one?.name) && isShort(one?.target) && places.some((place) => place === one?.place);
  if (!placed.slice(0, factLimits.placed).every(isPlaced)) return undefined;
  return {
    ...{ title: String(title), heading: String(heading), text: String(text), hasSearch: hasSearch === true },
    placed: placed.slice(0, factLimits.placed),
    links: links.slice(0, factLimits.links).filter(isShort),
  };
}

function isShort(value: unknown): boolean {
  return typeof value === "string" && value.length <= factLimits.text;
}
