import { createHash } from "node:crypto";

/** A page that may be drawn. */
export type SampledPage = { url: string; template: string | null };

/** As many of each template, and at random beside them. */
const OF_A_TEMPLATE = 2;
const AT_RANDOM = 2;

/**
 * The pages that a person looks at, as WCAG-EM asks (https://www.w3.org/TR/WCAG-EM/#step3): up to two of each template, and some at
 * random. The same seed draws the same ones of the same pages, whatever their order.
 *
 * @param pages of a report
 */
export function drawSample(
  pages: readonly SampledPage[],
  seed: string,
): (SampledPage & { drawn: "template" | "random" })[] {
  const place = ({ url }: SampledPage) => createHash("sha256").update(`${seed} ${url}`).digest("hex");
  const drawn = pages.map((page) => ({ page, at: place(page) })).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const taken = new Map<string | null, number>();
  const byTemplate = drawn.filter(({ page: { template } }) => {
    const number = taken.get(template) ?? 0;
    taken.set(template, number + 1);
    return number < OF_A_TEMPLATE;
  });
  const first = new Set(byTemplate.map(({ page }) => page));
  const others = drawn.filter(({ page }) => !first.has(page)).slice(0, AT_RANDOM);
  return [
    ...byTemplate.map(({ page }) => ({ ...page, drawn: "template" as const })),
    ...others.map(({ page }) => ({ ...page, drawn: "random" as const })),
  ];
}
