import { judgeNames, type Named } from "../../../domain/acting/names.ts";
import { normaliseUrl } from "../../../domain/scope/url-scope.ts";
import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** What is read of a page. */
const MAX_NAMED = 1_000;
const MAX_NAME_LENGTH = 200;
/** The nodes that are passed for all of them: what is around a name is read again for each. */
const MAX_STEPS = 100_000;
/** The most findings of a page. */
const MAX_FOUND = 20;

/**
 * Links, images, headings, labels and titles whose names say nothing.
 *
 * @param ignoredParameters of addresses: they lead to the same document with and without them
 */
export async function findNames(walker: Walker, ignoredParameters: readonly string[]): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const { named, isCut } = await limit.command(tab.call(main.world, readNames, MAX_NAMED, MAX_NAME_LENGTH, MAX_STEPS));
  if (isCut) limit.cut(`more than ${MAX_NAMED} links, images, headings or labels, or too much around them`);
  const inOneSpelling = (target: string) => (URL.canParse(target) ? normaliseUrl(target, ignoredParameters) : target);
  const faults = judgeNames(named.map((one) => ({ ...one, target: inOneSpelling(one.target) })));
  await report(walker, main, faults, { most: MAX_FOUND, what: "names say nothing" });
}

/** Runs in the page. So many of each kind are read. */
function readNames(maxNamed: number, maxLength: number, maxSteps: number): { named: Named[]; isCut: boolean } {
  const { idOf, parentOf, nameOf, attribute, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  let isCut = false;
  let stepsLeft = maxSteps;
  const all = (selector: string): Element[] => {
    const found = Document.prototype.querySelectorAll.call(document, selector);
    if (found.length > maxNamed) isCut = true;
    return [...found].slice(0, maxNamed);
  };
  const has = (element: Element, name: string): boolean => Element.prototype.hasAttribute.call(element, name);
  const isHidden = (element: Element): boolean => attribute(element, "aria-hidden") === "true" || !isVisible(element);
  /** The beginning of the text in an element, and in the alternatives of its images; or the end of it before another one. */
  const textOf = (element: Element, without?: Element, isBefore = false): string => {
    let text = "";
    let isBehind = false;
    const accept = (node: Node): number => {
      stepsLeft -= 1;
      isBehind ||= isBefore && node === without;
      const isOut =
        node === without ||
        isBehind ||
        (node instanceof Element && (isHidden(node) || (isBefore && nameOf(node) === "a")));
      return isOut && stepsLeft > 0 ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    };
    const what = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
    const walker = Document.prototype.createTreeWalker.call(document, element, what, accept);
    for (
      let steps = 0;
      steps < 300 && stepsLeft > 0 && (isBefore || text.length < maxLength) && walker.nextNode();
      steps += 1
    ) {
      const node = walker.currentNode;
      if (node instanceof Text) text += ` ${isBefore ? node.data.slice(-maxLength) : node.data.slice(0, maxLength)}`;
      else if (node instanceof Element && nameOf(node) === "img") text += ` ${attribute(node, "alt")}`;
    }
    const plain = text.replace(/\s+/g, " ").trim();
    return isBefore ? plain.slice(-maxLength) : plain.slice(0, maxLength);
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
    const block = /^(?:p|li|td|th|dd|dt|h[1-6]|figcaption|caption|blockquote|div)$/;
    let at = parentOf(element);
    for (let up = 0; at && up < 30; up += 1) {
      if (block.test(nameOf(at))) return at;
      at = parentOf(at);
    }
    return null;
  };
  /** The cells that head the row of a cell. */
  const headsOf = (cell: Element): string => {
    const row = /^t[dh]$/.test(nameOf(cell)) ? parentOf(cell) : null;
    const cells = row ? [...(Reflect.get(Element.prototype, "children", row) as HTMLCollection)] : [];
    stepsLeft -= cells.length;
    return cells.flatMap((one) => (nameOf(one) === "th" ? [textOf(one)] : [])).join(" ");
  };
  /** The texts of the list items around an element, without its own. */
  const itemsOf = (element: Element): string => {
    let text = "";
    let item = parentOf(element);
    for (let up = 0; item && up < 30; up += 1) {
      if (nameOf(item) === "li") text += ` ${textOf(item, element)}`;
      item = parentOf(item);
    }
    return text;
  };
  const headings = all("h1,h2,h3,h4,h5,h6,[role=heading]").filter((one) => !isHidden(one));
  /** The number of the heading before an element. */
  const headingOf = (element: Element): number => {
    let [from, to] = [0, headings.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const position = Node.prototype.compareDocumentPosition.call(headings[middle] as Element, element);
      if (position & Node.DOCUMENT_POSITION_FOLLOWING) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  /**
   * What tells a reader more of a link: the rest of its paragraph, cell or item, the cells that head it, and descriptions.
   * Links of one name are told apart by that, by the words before them in a sentence, and by the heading above.
   */
  const around = (link: Element): { around: string; context: string[] } => {
    const block = blockOf(link);
    const described = `${idRefs(link, "aria-describedby")} ${attribute(link, "title")}`.trim();
    if (!block) return { around: described, context: [described, String(headingOf(link))] };
    const words = [textOf(block, link), described, headsOf(block), itemsOf(block)];
    // Short words, such as "or", tell nothing apart.
    const before = textOf(block, link, true).match(/[\p{L}\p{N}]{5,}/gu) ?? [];
    return {
      around: words.join(" ").replace(/\s+/g, " ").trim().slice(0, maxLength),
      context: [...words, before.join(" "), String(headingOf(link))],
    };
  };
  const base = Reflect.get(Node.prototype, "baseURI", document) as string;
  const targetOf = (link: Element): string => {
    if (!has(link, "href")) return "";
    const url = URL.parse(attribute(link, "href"), base);
    if (!url || !/^https?:$/.test(url.protocol)) return "";
    url.hash = "";
    return url.href.slice(0, maxLength);
  };
  const nothing: Pick<Named, "around" | "context" | "target"> = { around: "", context: [], target: "" };
  const named: Named[] = [];
  const add = (kind: Named["kind"], element: Element, name: string, more = nothing): void => {
    // What was read in part says nothing.
    if (stepsLeft > 0) named.push({ id: idOf(element), kind, name, ...more });
    else isCut = true;
  };
  for (const title of all("head > title").slice(0, 1))
    add(
      "title",
      title,
      String(Reflect.get(Node.prototype, "textContent", title))
        .trim()
        .slice(0, maxLength),
    );
  // In a line of code one name may stand for two things, as it does in the program.
  for (const link of all("a[href],[role=link]").filter((one) => !isHidden(one)))
    add("link", link, accessibleName(link), {
      ...around(link),
      target: Element.prototype.closest.call(link, "code,kbd,samp,math") ? "" : targetOf(link),
    });
  for (const image of all("img[alt],input[type=image][alt],[role=img][aria-label]").filter((one) => !isHidden(one))) {
    const name = (has(image, "aria-label") ? attribute(image, "aria-label") : attribute(image, "alt")).trim();
    const file = /([^/]+)\.\w+(?:[?#].*)?$/.exec(attribute(image, "src"))?.[1] ?? "";
    // A word of a language may well be the name of a file: only what no word looks like is one.
    add("image", image, name, { ...nothing, around: /[\d_-]/.test(file) ? file : "" });
  }
  for (const heading of headings) add("heading", heading, accessibleName(heading));
  for (const label of all("label,legend").filter((one) => !isHidden(one))) add("label", label, textOf(label));
  return { named, isCut };
}
