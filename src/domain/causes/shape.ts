import { CHILD } from "../selector/element-selector.ts";

/** The parts of a page by which people say where something is. */
const REGIONS = new Set(["header", "footer", "nav", "main", "aside", "form", "dialog"]);
/** Elements whose ids name a place of the site; the ids of headings and sections name their contents. */
const NAMED = new Set(["input", "select", "textarea", "button", "iframe"]);
/** What says nothing about where an element is in a repeated block. */
const TRANSPARENT = new Set(["tbody", "thead", "tfoot", "tr", "html", "body"]);
/** Classes of one moment or one of several equal elements. */
const MOMENTARY =
  /^(?:active|current|selected|open|opened|closed|expanded|collapsed?|show|shown|visible|hidden|disabled|first|last|odd|even|checked|visited|focus|hover|(?:is|has)-.*)$/i;
/** Elements and ancestors without a class that a shape has. */
const MAX_STEPS = 3;
/** Ids so near to the root name the parts of a layout. */
const MAX_LAYOUT_DEPTH = 4;

type Step = { name: string; id: string; classes: string[] };

/**
 * What elements share that one template, or one kind of content, has made: the element with its classes, its nearest
 * ancestors up to one with a class, and the part of the page that they are in: `header a.icon`, `main .top > img`.
 * Without positions, ids of contents, numbers and classes of a moment.
 *
 * @param selector of `elementSelector`
 * @returns a CSS selector; "" for no selector
 */
export function shapeOf(selector: string): string {
  const steps = selector === "" ? [] : selector.split(CHILD).map(readStep);
  const isWhole = steps[0]?.name === "html";
  const layoutId = (index: number) => (isWhole && index <= MAX_LAYOUT_DEPTH ? idOfLayout(steps[index]) : "");
  let kept = "";
  let numKept = 0;
  let top = steps.length;
  for (let at = steps.length - 1, name = ""; at >= 0 && numKept < MAX_STEPS; at--) {
    const step = steps[at] as Step;
    const id = numKept > 0 ? layoutId(at) : "";
    const isPlain = step.classes.length === 0 && id === "";
    if (numKept > 0 && isPlain && saysNothing(step, name)) continue;
    name = step.name;
    const one = written(step, id, numKept === 0);
    kept = numKept === 0 ? one : `${one}${top === at + 1 ? CHILD : " "}${kept}`;
    numKept += 1;
    top = at;
    if (!isPlain || REGIONS.has(step.name)) break;
  }
  const region = REGIONS.has(steps[top]?.name ?? "") ? undefined : regionAbove(steps.slice(0, top), layoutId);
  return region === undefined ? kept : `${region} ${kept}`;
}

/** In a repeated block, or one of several nested sections. @param below the name of the step below it */
function saysNothing({ name }: Step, below: string): boolean {
  return TRANSPARENT.has(name) || name === below;
}

function regionAbove(above: readonly Step[], layoutId: (index: number) => string): string | undefined {
  const landmark = above.findLast(({ name }) => REGIONS.has(name));
  if (landmark) return written(landmark, "", false);
  const id = above.map((_, index) => layoutId(index)).findLast((one) => one !== "");
  return id && `#${id}`;
}

function idOfLayout(step: Step | undefined): string {
  return step && !/\d/.test(step.id) ? step.id : "";
}

function written({ name, id, classes }: Step, layoutId: string, isElement: boolean): string {
  const names = classes.map((one) => `.${one}`).join("");
  if (names !== "") return `${name}${names}`;
  const own = isElement && NAMED.has(name) && !/\d/.test(id) ? id : layoutId;
  return own === "" ? name : `${name}#${own}`;
}

/** Reads what `elementSelector` has written, with names still escaped. */
function readStep(text: string): Step {
  const [name = "*", ...rest] = text.match(/(?:^|[#.])(?:\\.|[^\\#.])+/g) ?? [];
  const id = rest.find((part) => part.startsWith("#"))?.slice(1) ?? "";
  const classes = rest.filter((part) => part.startsWith(".")).map((part) => part.slice(1));
  return { name, id, classes: classes.filter((one) => !/\d/.test(one) && !MOMENTARY.test(one)) };
}

/** The last step of a shape: the element. */
export function elementOf(shape: string): string {
  return shape.slice(Math.max(shape.lastIndexOf(" "), 0)).trim();
}
