import { drawDeclarations, drawStyleSheet } from "./css-values.ts";
import type { Random } from "./random.ts";
import type { TreeElement } from "./tree.ts";

const JSON_TEXTS: Record<string, readonly string[]> = {
  importmap: [
    '{"imports":{"a":"/a.js"}}',
    "{}",
    '{"imports":{"a/":"/b/"},"scopes":{"/x/":{"a":"./b.js"}}}',
    '{"imports":{"a":"b"}}',
    '{"integrity":{"/a.js":"sha256-AAAA"}}',
    "[]",
    "{",
    '{"foo":{}}',
  ],
  speculationrules: [
    '{"prefetch":[{"source":"list","urls":["/a"]}]}',
    '{"prerender":[{"where":{"href_matches":"/*"},"eagerness":"moderate"}]}',
    "{}",
    '{"prefetch":[{"urls":[]}]}',
    '{"prefetch":{}}',
    '{"x":[]}',
  ],
};
const TIMES = ["2024-02-29", "12:30", "P1D", "2024-W05", "2024", "noon"];

/** Gives texts and attributes of which the grammar asks nothing a meaning that other checks look at. */
export function giveMeaning(element: TreeElement, random: Random): void {
  for (const attribute of element.attributes)
    if (attribute.name === "style" && attribute.namespace === "") attribute.value = drawDeclarations(random);
  if (element.name === "title" && element.children.length === 0) element.children = ["Title"];
  if (element.children.length === 0) return;
  const type = element.attributes.find(({ name }) => name === "type")?.value ?? "";
  if (element.name === "style") element.children = [drawStyleSheet(random)];
  else if (element.name === "script") element.children = [random.pick(JSON_TEXTS[type] ?? ["x()"])];
  else if (element.name === "time" && element.children.every((child) => typeof child === "string"))
    element.children = [random.pick(TIMES)];
}
