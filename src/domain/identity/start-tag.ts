import { parseFragment } from "parse5";
import type { ElementDescription } from "./element-key.ts";

/**
 * Reads the first start tag in a piece of a page's source. A tag that is cut off counts with the attributes that
 * it has.
 *
 * @returns the element without its ancestors; undefined when the text has no start tag
 */
export function describeStartTag(source: string): Pick<ElementDescription, "name" | "attributes"> | undefined {
  const [tag = "", name = ""] = /<([A-Za-z][^\s/>]*)(?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?/.exec(source) ?? [];
  if (name === "") return undefined;
  // A parser drops elements that may not stand alone, such as <td>: the attributes are read from another.
  const [element] = parseFragment(`<i${tag.slice(1 + name.length).replace(/\/?>?$/, "")}>`).childNodes;
  const attrs = element && "attrs" in element ? element.attrs : [];
  return { name: name.toLowerCase(), attributes: attrs.map((attribute) => [attribute.name, attribute.value] as const) };
}
