import { isElement, type Node } from "../tree.ts";
import { inputType, sizeOf } from "./aria/redundant-roles.ts";
import { interactiveBy } from "./nesting.ts";
import { type DocumentRule, elements, has, hasWords, type OpenElement, value } from "./open-element.ts";
import { elementSection, INTERACTIVE } from "./sections.ts";

const AROUND: ReadonlySet<string> = new Set("option datalist legend canvas audio video ruby rt".split(" "));
/** True for a ruby with nothing beside it before the text of its annotation. */
function isAlone({ element }: OpenElement): boolean {
  const siblings = element.parentNode?.childNodes ?? [];
  const at = siblings.indexOf(element);
  const isOther = (node: Node | undefined): boolean =>
    node !== undefined &&
    (isElement(node) ? node.tagName !== "rt" && node.tagName !== "rp" : "value" in node && hasWords(node.value));
  const isSpace = (node: Node | undefined): boolean => node !== undefined && !isElement(node) && !isOther(node);
  let before = at - 1;
  while (isSpace(siblings[before])) before--;
  let after = at + 1;
  while (isSpace(siblings[after])) after++;
  return !isOther(siblings[before]) && !isOther(siblings[after]);
}

const BUTTONS: ReadonlySet<string> = new Set(["button", "submit", "reset", "image", "checkbox", "radio"]);

/**
 * What the elements may contain whose content models say more than a grammar can: options, the fallback of a canvas,
 * media in media.
 */
export const watchContents: DocumentRule = (report) => {
  const around: OpenElement[] = [];
  const inside = (...names: string[]) => around.findLast(({ name }) => names.includes(name));
  const misplaced = (open: OpenElement, message: string, of: string, section = elementSection(of)) =>
    report(open, { rule: `nesting/${of}`, message, section });

  return {
    open(open) {
      const { name } = open;
      if (around.length > 0) check(open);
      if (AROUND.has(name)) around.push(open);
    },
    text(text, parent) {
      const { name } = parent;
      if (name !== "option" || !value(parent, "label") || !has(parent, "value") || !hasWords(text)) return;
      misplaced(
        parent,
        'An <option> with the attributes "label" and "value" must be empty: its text is never shown.',
        name,
      );
    },
    close(open) {
      if (around.at(-1) === open) around.pop();
    },
  };

  function check(open: OpenElement): void {
    const { name } = open;
    const media = name === "audio" || name === "video" ? inside("audio", "video") : undefined;
    if (media) misplaced(open, `<${name}> is inside of <${media.name}>; media elements do not nest.`, media.name);
    if (name === "ruby") checkRuby(open);
    const option = inside("option", "canvas");
    if (option?.name === "option") checkInOption(open, option);
    else if (option) checkInCanvas(open);
    const legend = around.at(-1);
    if (legend?.name === "legend" && legend.parent?.name === "optgroup") {
      const what = interactiveBy(open);
      if (what)
        misplaced(open, `${what} is interactive content; it is not allowed in the <legend> of <optgroup>.`, "legend");
    }
  }

  /** The base of a ruby is text without rubies, or one ruby that has none. */
  function checkRuby(open: OpenElement): void {
    const base = inside("ruby", "rt");
    if (base?.name !== "ruby") return;
    const outer = around[around.lastIndexOf(base) - 1];
    if (open.parent !== base || outer?.name === "ruby" || !isAlone(open))
      misplaced(open, "<ruby> is in the base of another <ruby>, where it must stand alone.", "ruby");
  }

  function checkInOption(open: OpenElement, option: OpenElement): void {
    const { name, element } = open;
    const what = interactiveBy(open) ?? (name === "datalist" || name === "object" ? `<${name}>` : undefined);
    if (inside("datalist") && around.at(-2)?.name === "datalist" && around.at(-1) === option)
      misplaced(open, `<${element.tagName}> is in an <option> of <datalist>, which has text only.`, "option");
    else if (has(option, "label"))
      misplaced(
        open,
        `<${element.tagName}> is in an <option> with the attribute "label", which has no elements.`,
        "option",
      );
    else if (what)
      misplaced(
        open,
        `${what} is in <option>, which has no ${elements(["datalist", "object"])} and no interactive content.`,
        "option",
      );
  }

  /** Interactive content in the fallback of a canvas is a set of hot spots: links, buttons and the like. */
  function checkInCanvas(open: OpenElement): void {
    const { name } = open;
    if (name === "a" || name === "button") return;
    if (name === "img" && has(open, "usemap")) return;
    if (name === "input" && BUTTONS.has(inputType(open))) return;
    if (name === "select" && (has(open, "multiple") || sizeOf(open) > 1)) return;
    // The attribute alone does not make interactive content: https://html.spec.whatwg.org/multipage/dom.html
    if (has(open, "tabindex") || open.role !== undefined) return;
    const what = interactiveBy(open);
    if (what)
      misplaced(
        open,
        `${what} is not allowed in <canvas>; interactive content there is links, buttons, checkboxes, radio buttons, and <select> that shows several rows.`,
        "canvas",
        INTERACTIVE,
      );
  }
};
