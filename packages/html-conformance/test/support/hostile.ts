/** Documents that are built to cost a parser time or memory. */
export const hostile: readonly (readonly [what: string, source: string, contentType?: string])[] = [
  ["50,000 open elements", "<div>".repeat(50_000)],
  ["end tags that close nothing in a deep tree", "<span>".repeat(20_000) + "</x>".repeat(20_000)],
  [
    "formatting elements that are opened again in each paragraph",
    `${Array.from({ length: 5000 }, (_, i) => `<b id=${i}>`).join("")}${"<p>x".repeat(5000)}`,
  ],
  ["a link around a deep tree, closed again and again", `<a>${"<div>".repeat(20_000)}${"</a>".repeat(20_000)}`],
  ["templates in templates", "<template>".repeat(20_000)],
  ["attributes added by many html tags", Array.from({ length: 20_000 }, (_, i) => `<html a${i}>`).join("")],
  ["an attribute of 1 MB", `<p title="${"x".repeat(1_000_000)}">`],
  ["a deep XML document", `${"<g>".repeat(50_000)}${"</g>".repeat(50_000)}`, "application/xml"],
];
