import type * as AxeCore from "axe-core";
import type { AxeResults, ContextObject, FrameContext, PartialResult, RunOptions } from "axe-core";
import type { Box } from "../../../domain/findings/box.ts";
import type { Ancestor, ElementDescription } from "../../../domain/identity/element-key.ts";

/**
 * Functions that run inside pages, in an isolated world that holds axe-core. Each function is
 * sent as its source text, so it must not use anything outside itself except types.
 */

type World = { axe: typeof AxeCore; partials?: (PartialResult | null)[] };

/** One axe-core result, reduced to the stored fields. */
export type RuleResult = {
  id: string;
  help: string;
  helpUrl: string;
  impact: string | null;
  tags: string[];
  /** Number of affected elements; `nodes` may list fewer. */
  total: number;
  nodes: {
    html: string;
    target: (string | string[])[];
    failureSummary: string;
    /** axe-core's data of the check that measured its contrast, if one did. */
    contrast?: unknown;
    /** The text that axe-core calls too short to be judged, and the names of its fonts. */
    short?: { text: string; font: string } | undefined;
    /** The element itself; null for one in a frame, or beyond the limit. */
    element: ElementDescription | null;
    /** Its place, once it has been located (locate.ts). */
    box?: Box | null;
  }[];
};

export type Findings = { violations: RuleResult[]; incomplete: RuleResult[] };

/**
 * Limits of a result, whose size depends on the page; `descriptions` of all elements together, in characters, and
 * `classes` of all their ancestors.
 */
export type Limits = { nodesPerRule: number; textLength: number; descriptions: number; classes: number };

/** False if another document has replaced the one in which axe-core was loaded. */
export function hasAxe(): boolean {
  // An element with the id `axe` is also found in the global object, but is not its own property.
  return Object.hasOwn(globalThis, "axe");
}

/** The frames inside this one that axe-core would check. Must be called before `runPartially`. */
export function listFrames(context: ContextObject | null): FrameContext[] {
  const { axe } = globalThis as unknown as World;
  return axe.utils.getFrameContexts(context ?? (document as unknown as ContextObject));
}

/** The frame's element for a selector from `listFrames`. */
export function findFrame(selector: FrameContext["frameSelector"]): Element | null {
  const { axe } = globalThis as unknown as World;
  return axe.utils.shadowSelect(selector);
}

/** What the element of a frame says about its document, in the document around it. */
export type FrameElement = { address: string; forbidsScripts: boolean };

/** Describes the frame of a selector from `listFrames`. */
export function describeFrame(selector: FrameContext["frameSelector"], maxLength: number): FrameElement | null {
  const { axe } = globalThis as unknown as World;
  const element = axe.utils.shadowSelect(selector);
  if (!element) return null;
  const attribute = (name: string): string | null => Element.prototype.getAttribute.call(element, name);
  const base = Reflect.get(Node.prototype, "baseURI", document) as string;
  const src = attribute("srcdoc") === null ? (attribute("src") ?? "").trim() : "about:srcdoc";
  const address = src.length > maxLength || src === "" ? src : (URL.parse(src, base)?.href ?? src);
  const sandbox = attribute("sandbox");
  return {
    address: address.slice(0, maxLength),
    forbidsScripts: sandbox !== null && !/(^|\s)allow-scripts(\s|$)/i.test(sandbox),
  };
}

/** Whether the document that a frame's element names is there, in the frame. */
export function frameState(address: string): { state: "loaded" | "not_loaded" | "loading" | "failed"; at: string } {
  const at = location.href;
  const isEmpty = at === "about:blank" && !/^(about:blank|javascript:|$)/i.test(address);
  if (location.protocol === "chrome-error:") return { state: "failed", at };
  if (isEmpty) return { state: "not_loaded", at };
  const isLoading = Reflect.get(Document.prototype, "readyState", document) === "loading";
  return { state: isLoading ? "loading" : "loaded", at };
}

/** Checks this frame alone. With `keep` (the main frame) the partial result stays in the page; otherwise it is returned as JSON. */
export async function runPartially(
  context: ContextObject | null,
  options: RunOptions,
  keep: boolean,
): Promise<string | null> {
  const world = globalThis as unknown as World;
  const partial = await world.axe.runPartial(context ?? (document as unknown as ContextObject), options);
  if (!keep) return JSON.stringify(partial);
  world.partials = [partial];
  return null;
}

/**
 * Combines the partial results into the page's result.
 *
 * @param framePartials the frames' partial results; null: the page has no frames and is not checked yet
 * @param withRaw adds the complete result
 */
export async function finish(
  framePartials: (string | null)[] | null,
  options: RunOptions,
  limits: Limits,
  withRaw: boolean,
): Promise<{ findings: Findings; raw: AxeResults | null }> {
  const { axe, partials = [] } = globalThis as unknown as World;
  const results =
    framePartials === null
      ? await axe.run(document, { ...options, iframes: false })
      : await axe.finishRun(
          [...partials, ...framePartials.map((text) => (text === null ? null : JSON.parse(text)))],
          options,
        );
  // Elements named "attributes" or "parentNode" in a form stand in for its properties, but not for the prototypes'.
  const getterOf = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const parentNode = getterOf(Node.prototype, "parentNode");
  const childNodes = getterOf(Node.prototype, "childNodes");
  const localName = getterOf(Element.prototype, "localName");
  const { getAttribute, getAttributeNames } = Element.prototype;
  const nameOf = (element: Element): string => localName?.call(element);
  const attributeOf = (element: Element, name: string) =>
    (getAttribute.call(element, name) ?? "").slice(0, limits.textLength);
  const parentOf = (element: Element): Element | null => {
    const parent: Node | null = parentNode?.call(element);
    if (parent instanceof ShadowRoot) return parent.host;
    return parent instanceof Element ? parent : null;
  };
  let left = limits.descriptions;
  let classesLeft = limits.classes;
  // With a limit of its own: fingerprints must not depend on the length of class names.
  const addClasses = (element: Element, ancestors: Ancestor[]): void => {
    let up = parentOf(element);
    for (const ancestor of ancestors.slice(0, 40)) {
      if (!up) return;
      ancestor.classes = attributeOf(up, "class").slice(0, Math.min(400, classesLeft));
      classesLeft -= ancestor.classes.length;
      up = parentOf(up);
    }
  };
  const find = (target: unknown[]): Element | null => {
    try {
      return axe.utils.shadowSelect(target[0] as string);
    } catch {
      return null;
    }
  };
  const describe = (target: unknown[]): ElementDescription | null => {
    if (target.length !== 1 || left <= 0) return null;
    const element = find(target);
    if (!element) return null;
    const attributes = getAttributeNames.call(element).slice(0, 100);
    const ancestors: Ancestor[] = [];
    for (let up = parentOf(element); up && ancestors.length < 100; up = parentOf(up))
      ancestors.push({ name: nameOf(up), id: attributeOf(up, "id"), role: attributeOf(up, "role") });
    const description = {
      name: nameOf(element),
      attributes: attributes.map((name) => [name, attributeOf(element, name)] as const),
      ancestors,
    };
    left -= JSON.stringify(description).length;
    if (left < 0) return null;
    addClasses(element, ancestors);
    return description;
  };
  /** Colours, ratios and sizes, which are short. */
  const contrastOf = ({ any, all }: AxeResults["violations"][number]["nodes"][number]): unknown => {
    const check = [...any, ...all].find(({ data }) => data?.expectedContrastRatio);
    if (!check) return undefined;
    const { fgColor, bgColor, shadowColor, contrastRatio, expectedContrastRatio, fontSize, fontWeight } = check.data;
    return { fgColor, bgColor, shadowColor, contrastRatio, expectedContrastRatio, fontSize, fontWeight };
  };
  /** Whether colours are seen as they are computed: nothing around the element changes them when it is drawn. */
  const isPlain = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at)) {
      const { opacity, filter, mixBlendMode } = getComputedStyle(at);
      if (opacity !== "1" || filter !== "none" || mixBlendMode !== "normal") return false;
    }
    return true;
  };
  const shortOf = ({ any, target }: AxeResults["violations"][number]["nodes"][number]) => {
    if (target.length !== 1 || !any.some(({ data }) => data?.messageKey === "shortTextContent")) return undefined;
    const element = find(target);
    if (!element || !isPlain(element)) return undefined;
    const texts = [...((childNodes?.call(element) ?? []) as Iterable<Node>)].filter((node) => node instanceof Text);
    const text = texts.reduce((all, { data }) => all + data.slice(0, limits.textLength), "").trim();
    return { text: text.slice(0, 10), font: getComputedStyle(element).fontFamily.slice(0, 1_000) };
  };
  /** With the ACT rules that a rule implements, as tags (domain/findings/act-rules.ts). */
  const actTags = new Map(
    axe.getRules().map(({ ruleId, actIds = [] }) => [ruleId, actIds.map((act) => `ACT-${act}`)] as const),
  );
  const reduce = (rules: AxeResults["violations"]): RuleResult[] =>
    rules.map(({ id, help, helpUrl, impact, tags, nodes }) => ({
      id,
      help,
      helpUrl,
      impact: impact ?? null,
      tags: [...tags, ...(actTags.get(id) ?? [])],
      total: nodes.length,
      nodes: nodes.slice(0, limits.nodesPerRule).map((node) => ({
        html: node.html.slice(0, limits.textLength),
        target: node.target as (string | string[])[],
        failureSummary: (node.failureSummary ?? "").slice(0, limits.textLength),
        contrast: contrastOf(node),
        short: shortOf(node),
        element: describe(node.target),
      })),
    }));
  const findings = { violations: reduce(results.violations), incomplete: reduce(results.incomplete) };
  return { findings, raw: withRaw ? results : null };
}
