import type { Outcome } from "./run.ts";

const MOST = 40;

/** Some of the pages that a check has visited: paths and queries, of as many kinds as possible. */
export function sampleOf({ checked, url }: Outcome): string[] {
  const pages = checked.pages
    .filter((page) => page.startsWith(url))
    .map((page) => page.slice(url.length).split("#")[0] ?? "");
  const byKind = Map.groupBy(new Set(pages), kindOf);
  const kinds = [...byKind.values()];
  const sample: string[] = [];
  for (let round = 0; sample.length < Math.min(MOST, new Set(pages).size); round += 1)
    sample.push(...kinds.flatMap((kind) => kind.slice(round, round + 1)));
  return sample.slice(0, MOST);
}

/** The path with its numbers taken out, and the names of its parameters. */
export function kindOf(page: string): string {
  const { pathname, searchParams } = new URL(page, "http://127.0.0.1");
  return `${pathname.replaceAll(/\d+/g, "0")}?${[...searchParams.keys()].sort().join("&")}`;
}
