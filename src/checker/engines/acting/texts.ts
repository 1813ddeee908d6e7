import {
  type Confirm,
  type Detect,
  judgeLanguages,
  type PageText,
  type PageTexts,
} from "../../../domain/acting/languages.ts";
import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** What is read of a page. */
const MAX_TEXTS = 600;
const MAX_TEXT_LENGTH = 600;
/** The most findings of a page. */
const MAX_FOUND = 20;

let detector: Promise<Detect> | undefined;
let second: Promise<Confirm> | undefined;

/**
 * Texts that are of another language than the page, or their part of it, says.
 *
 * @param reviews whether what a person has to judge is looked for
 */
export async function findLanguages(walker: Walker, { reviews }: { reviews: boolean }): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const texts = await limit.command(tab.call(main.world, readTexts, MAX_TEXTS, MAX_TEXT_LENGTH));
  if (texts.isCut) limit.cut(`the languages of more than ${MAX_TEXTS} texts`);
  // Only reports that act need it.
  detector ??= import("lande").then(({ default: detect }) => detect);
  const detect = await detector;
  // The second one takes 30 MB, and is loaded when the first one doubts a page: most never need it.
  let isAsked = false;
  const confirm = () => {
    isAsked = true;
    return undefined;
  };
  const without = judgeLanguages(texts, { detect, confirm }, reviews);
  const faults = isAsked ? judgeLanguages(texts, { detect, confirm: await loadSecond() }, reviews) : without;
  await report(walker, main, faults, { most: MAX_FOUND, what: "texts are of another language" });
}

function loadSecond(): Promise<Confirm> {
  second ??= import("eld/extrasmall").then(
    ({ eld }) =>
      (text) =>
        eld.detect(text).language || undefined,
  );
  return second;
}

/** Runs in the page. Texts of paragraphs, headings, cells and the like, without code, names and quotations. */
function readTexts(maxTexts: number, maxLength: number): PageTexts & { isCut: boolean } {
  const { idOf, parentOf, nameOf, attribute, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  const root = Reflect.get(Document.prototype, "documentElement", document) as Element;
  const skipped =
    /^(?:code|pre|kbd|samp|var|tt|script|style|noscript|template|svg|math|textarea|select|option|q|cite|address|dfn|abbr|time|head|title)$/;
  /** Its text is of no language, or says that it is not to be translated. */
  const isSkipped = (element: Element): boolean =>
    skipped.test(nameOf(element)) ||
    /^(?:no|false)$/i.test(attribute(element, "translate")) ||
    /\bnotranslate\b/.test(attribute(element, "class")) ||
    (Element.prototype.hasAttribute.call(element, "contenteditable") &&
      attribute(element, "contenteditable") !== "false");
  const MAX_STEPS = 30_000;
  type Where = { block: Element; of: Element; lang: string; isQuoted: boolean };
  const known = new Map<Element, Where>();
  const whereOf = (element: Element): Where => {
    const path: Element[] = [];
    let at: Element | null = element;
    while (at && !known.has(at)) {
      path.push(at);
      at = parentOf(at);
    }
    let where = at ? known.get(at) : undefined;
    for (const one of path.reverse()) {
      const lang = attribute(one, "lang") || attribute(one, "xml:lang");
      const isInline = /^(?:inline|contents)/.test(getComputedStyle(one).display);
      where = {
        block: where && isInline ? where.block : one,
        of: where && lang === "" ? where.of : one,
        lang: lang || (where?.lang ?? ""),
        isQuoted: where?.isQuoted === true || nameOf(one) === "blockquote",
      };
      known.set(one, where);
    }
    return where ?? { block: root, of: root, lang: "", isQuoted: false };
  };
  const found = new Map<Element, Map<Element, Omit<PageText, "id" | "of">>>();
  let count = 0;
  const accept = (node: Node): number =>
    node instanceof Element && isSkipped(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  const what = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
  const walker = Document.prototype.createTreeWalker.call(document, root, what, accept);
  let steps = 0;
  while (count < maxTexts && steps < MAX_STEPS && walker.nextNode()) {
    steps += 1;
    const node = walker.currentNode;
    const parent = Reflect.get(Node.prototype, "parentElement", node) as Element | null;
    if (!(node instanceof Text) || !parent || !/\p{L}/u.test(node.data) || !isVisible(parent)) continue;
    const data = node.data.slice(0, maxLength);
    const { block, of, lang, isQuoted } = whereOf(parent);
    const inBlock = found.get(block) ?? new Map<Element, Omit<PageText, "id" | "of">>();
    found.set(block, inBlock);
    if (!inBlock.has(of)) count += 1;
    const before = inBlock.get(of)?.text ?? "";
    inBlock.set(of, { text: `${before} ${data.trim()}`.slice(0, maxLength), lang, isQuoted });
  }
  const texts = [...found].flatMap(([block, inBlock]) =>
    [...inBlock].map(([of, one]) => ({ id: idOf(block), of: idOf(of), ...one })),
  );
  const lang = attribute(root, "lang") || attribute(root, "xml:lang");
  return { root: idOf(root), lang, texts, isCut: count >= maxTexts || steps >= MAX_STEPS };
}
