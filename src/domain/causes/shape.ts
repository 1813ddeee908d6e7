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
  const kept: string[] = [];
  let at = steps.length - 1;
  for (let name = ""; at >= 0 && kept.length < MAX_STEPS; at--) {
    const step = steps[at] as Step;
    if (kept.length > 0 && (TRANSPARENT.has(step.name) || (step.name === name && step.classes.length === 0))) continue;
    name = step.name;
    kept.unshift(written(step, kept.length === 0));
    if (step.classes.length > 0 || REGIONS.has(step.name)) break;
  }
  const region = regionOf(steps.slice(0, Math.max(0, at)));
  return [...(region === undefined ? [] : [region]), kept.join(CHILD)].join(" ");
}

function regionOf(above: readonly Step[]): string | undefined {
  const landmark = above.findLast(({ name }) => REGIONS.has(name));
  if (landmark) return written(landmark, false);
  if (above[0]?.name !== "html") return undefined;
  const layout = above.slice(0, MAX_LAYOUT_DEPTH + 1).findLast(({ id }) => id !== "" && !/\d/.test(id));
  return layout && `#${layout.id}`;
}

function written({ name, id, classes }: Step, isElement: boolean): string {
  const names = classes.map((one) => `.${one}`).join("");
  return isElement && NAMED.has(name) && names === "" && id !== "" && !/\d/.test(id) ? `${name}#${id}` : `${name}${names}`;
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
