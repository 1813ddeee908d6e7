import type { Acted } from "../../../domain/acting/issues.ts";
import { judgeNames, type Named } from "../../../domain/acting/names.ts";
import type { ToolsWorld } from "./tools.ts";
import type { Walker } from "./walk.ts";

/** What is read of a page. */
const MAX_NAMED = 2_000;
const MAX_NAME_LENGTH = 200;
/** The most findings of a page. */
const MAX_FOUND = 20;

/** Links, images, headings, labels and titles whose names say nothing. */
export async function findNames({ tab, places, limit }: Walker): Promise<Acted[]> {
  const main = await limit.command(places.main());
  const named = await limit.command(tab.call(main.world, readNames, MAX_NAMED, MAX_NAME_LENGTH));
  const faults = judgeNames(named);
  if (faults.length > MAX_FOUND) limit.cut(`more than ${MAX_FOUND} names say nothing`);
  const found: Acted[] = [];
  for (const { rule, id, summary } of faults.slice(0, MAX_FOUND)) {
    const element = await limit.command(places.describe(main, id));
    if (element) found.push({ rule, review: true, summary, element });
  }
  return found;
}

/** Runs in the page. */
function readNames(maxNamed: number, maxLength: number): Named[] {
  const { idOf, parentOf, nameOf, attribute, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const has = (element: Element, name: string): boolean => Element.prototype.hasAttribute.call(element, name);
  const inside = (element: Element): Node[] => {
    const walker = Document.prototype.createTreeWalker.call(
      document,
      element,
      NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    );
    const nodes: Node[] = [];
    while (nodes.length < 300 && walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  };
  const isHidden = (element: Element): boolean => attribute(element, "aria-hidden") === "true" || !isVisible(element);
  /** The text in an element, and in the alternatives of its images. */
  const textOf = (element: Element, without?: Element): string => {
    let text = "";
    for (const node of inside(element)) {
      const parent = Reflect.get(Node.prototype, "parentElement", node) as Element | null;
      const isLeftOut = without !== undefined && Node.prototype.contains.call(without, node);
      if (isLeftOut || !parent || isHidden(parent)) continue;
      if (node instanceof Text) text += ` ${node.data}`;
      else if (node instanceof Element && nameOf(node) === "img") text += ` ${attribute(node, "alt")}`;
    }
    return text.replace(/\s+/g, " ").trim().slice(0, maxLength);
  };
  const idRefs = (element: Element, name: string): string =>
    attribute(element, name)
      .split(/\s+/)
      .flatMap((id) => {
        const target = id === "" ? null : Document.prototype.getElementById.call(document, id);
        return target ? [textOf(target)] : [];
      })
      .join(" ");
  const accessibleName = (element: Element): string =>
    idRefs(element, "aria-labelledby") ||
    attribute(element, "aria-label").trim() ||
    textOf(element) ||
    attribute(element, "title").trim();
  const blockOf = (element: Element): Element | null => {
    const block = /^(?:p|li|td|th|dd|dt|h[1-6]|figcaption|caption|blockquote)$/;
    for (let at = parentOf(element); at; at = parentOf(at)) if (block.test(nameOf(at))) return at;
    return null;
  };
  /** What tells a reader more of a link: the rest of its paragraph, cell or item, the cells that head it, and descriptions. */
  const around = (link: Element): string => {
    const block = blockOf(link);
    const described = `${idRefs(link, "aria-describedby")} ${attribute(link, "title")}`.trim();
    if (!block) return described;
    let text = `${textOf(block, link)} ${described}`;
    if (/^t[dh]$/.test(nameOf(block))) {
      const row = parentOf(block);
      for (const cell of row ? [...(Reflect.get(Element.prototype, "children", row) as HTMLCollection)] : [])
        if (nameOf(cell) === "th") text += ` ${textOf(cell)}`;
    }
    for (let item = parentOf(block); item; item = parentOf(item))
      if (nameOf(item) === "li") text += ` ${textOf(item, block)}`;
    return text.trim().slice(0, maxLength);
  };
  const base = Reflect.get(Node.prototype, "baseURI", document) as string;
  const targetOf = (link: Element): string => {
    const url = URL.parse(attribute(link, "href"), base);
    if (!url || !/^https?:$/.test(url.protocol)) return "";
    url.hash = "";
    return url.href.slice(0, maxLength);
  };
  const nothing = { around: "", target: "" };
  const named: Named[] = [];
  const add = (kind: Named["kind"], element: Element, name: string, more = nothing): void => {
    if (named.length < maxNamed) named.push({ id: idOf(element), kind, name, ...more });
  };
  for (const title of all("head > title").slice(0, 1))
    add(
      "title",
      title,
      String(Reflect.get(Node.prototype, "textContent", title))
        .trim()
        .slice(0, maxLength),
    );
  for (const link of all("a[href]").filter((one) => !isHidden(one)))
    add("link", link, accessibleName(link), { around: around(link), target: targetOf(link) });
  for (const image of all("img[alt],input[type=image][alt],[role=img][aria-label]").filter((one) => !isHidden(one))) {
    const name = (has(image, "aria-label") ? attribute(image, "aria-label") : attribute(image, "alt")).trim();
    const file = /([^/]+)\.\w+(?:[?#].*)?$/.exec(attribute(image, "src"))?.[1] ?? "";
    // A word of a language may well be the name of a file: only what no word looks like is one.
    add("image", image, name, { around: /[\d_-]/.test(file) ? file : "", target: "" });
  }
  for (const heading of all("h1,h2,h3,h4,h5,h6,[role=heading]").filter((one) => !isHidden(one)))
    add("heading", heading, accessibleName(heading));
  for (const label of all("label,legend").filter((one) => !isHidden(one))) add("label", label, textOf(label));
  return named;
}
