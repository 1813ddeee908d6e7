import { OBSOLETE_ATTRIBUTES } from "html-conformance/rules";

/** The fields of an html-validate message that are used. */
export type RuleMessage = {
  ruleId: string;
  severity: number;
  message: string;
  offset: number;
  size: number;
  /** Details of the finding that some rules give, such as the attribute that it is about. */
  context?: unknown;
};

export type Judgement = "error" | "warning" | "none";

/**
 * The severity of a finding. The HTML Standard does not support every finding of a rule that is correct
 * in general: such a finding is a warning if the Nu checker warns of it, and is otherwise left out.
 */
export function judge(message: RuleMessage, source: string): Judgement {
  const exception = exceptions[message.ruleId]?.(message, source);
  if (exception) return exception;
  return message.severity === 2 ? "error" : "warning";
}

type Exception = (message: RuleMessage, source: string) => Judgement | undefined;

const exceptions: Readonly<Record<string, Exception>> = {
  "attribute-allowed-values": ({ message }) =>
    /^Attribute "contenteditable" has invalid value "plaintext-only"/i.test(message) ? "none" : undefined,

  // html-validate does not know that <track> is void in SVG's <desc>, too.
  "close-order": ({ message }) => (/'<\/?svg:/i.test(message) ? "none" : undefined),

  // Metadata content with a property of microdata or RDFa may be anywhere (sections 4.2.4, 4.2.5).
  // <style> may be in the body, script-supporting elements in <hgroup>, and more than options in a <select>.
  "element-permitted-content": (finding, source) => {
    const { message } = finding;
    if (/^<(?:link|meta)> /i.test(message))
      return hasAttribute(finding, source, "itemprop|property") ? "none" : undefined;
    if (/^<style> element is not permitted as content/i.test(message)) return "none";
    if (/^<(?:script|template)> .* under <hgroup>/i.test(message)) return "none";
    if (/ as content under <(?:select|optgroup|option)>$/i.test(message)) return "none";
    return /^<(?:option|optgroup|hr|legend)> /i.test(message) && lastOpen("select", finding.offset, source) !== -1
      ? "none"
      : undefined;
  },

  "element-required-attributes": (finding, source) => {
    const { message } = finding;
    // Recommended only.
    if (/^<html> is missing required "lang"/i.test(message)) return "warning";
    // A matter of accessibility, which axe-core checks: frame-title.
    if (/^<(?:iframe|embed)> is missing required "title"/i.test(message)) return "none";
    if (/^<embed> is missing required "src"/i.test(message)) return "none";
    if (/^<img> is missing required "src"/i.test(message))
      return hasAttribute(finding, source, "srcset") ? "none" : undefined;
    if (/^<link> is missing required "href"/i.test(message))
      return hasAttribute(finding, source, "itemprop|property|resource|about") ? "none" : undefined;
    return undefined;
  },

  // The tags of <html>, <head> and <body> may be left out (section 13.1.2.4).
  "element-required-content": ({ message }) =>
    /^<html> element must have <(?:head|body)> as content/i.test(message) ? "none" : undefined,

  // html-validate ignores the text of a hidden element.
  "empty-title": ({ offset }, source) =>
    /^[^<>]*>\s*[^\s<]/.test(source.slice(offset, offset + NEAR)) ? "none" : undefined,

  // ARIA does not forbid references that lead nowhere: the script of a page may add their targets.
  "no-missing-references": ({ context }) => (attributeOf(context).startsWith("aria-") ? "warning" : undefined),

  "no-unknown-attributes": ({ message }) => {
    const [, attribute = "", element = ""] = /^Attribute "([^"]*)" is not allowed on <([^>]*)>/i.exec(message) ?? [];
    const [name, owner] = [attribute.toLowerCase(), element.toLowerCase()];
    // The Internationalization Tag Set: section 3.2.6 allows attributes of other applicable specifications.
    if (/^its-[a-z-]+$/.test(name) || missingAttributes.get(owner)?.includes(name)) return "none";
    return OBSOLETE_ATTRIBUTES.get(name)?.has(owner) ? "warning" : undefined;
  },

  // The alternative text may be left out where a title or a caption stands in for it (section 4.8.4.4.3).
  "wcag/h37": (finding, source) =>
    hasAttribute(finding, source, "title") || isInCaptionedFigure(finding.offset, source) ? "none" : undefined,
};

/** Attributes of the standard that html-validate 11 does not support, by element. */
const missingAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    area: ["href"],
    audio: ["loading"],
    embed: ["type"],
    iframe: ["allow", "allowfullscreen", "loading", "name", "sandbox", "srcdoc"],
    input: ["popovertarget", "popovertargetaction"],
    meta: ["media"],
    object: ["form", "type"],
    style: ["blocking", "media"],
    template: ["for"],
    video: ["loading"],
  }),
);

/** The most characters that are read around a finding: pages are hostile. */
const NEAR = 2_000;

/** Whether the start tag that a finding is about has an attribute. */
function hasAttribute({ offset }: RuleMessage, source: string, names: string): boolean {
  const start = Math.max(0, source.lastIndexOf("<", offset), offset - NEAR);
  const tag = /^[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*/.exec(source.slice(start, start + NEAR))?.[0] ?? "";
  return new RegExp(`[\\s"'/](?:${names})(?=[\\s=/>]|$)`, "i").test(tag);
}

/** The offset of an element's last start tag before a place; -1 if its end tag follows, or if there is none. */
function lastOpen(element: string, offset: number, source: string): number {
  const first = Math.max(0, offset - NEAR);
  const tags = [...source.slice(first, offset).matchAll(new RegExp(`<(/?)${element}(?=[\\s/>])`, "gi"))];
  const last = tags.at(-1);
  return last && !last[1] ? first + last.index : -1;
}

function isInCaptionedFigure(offset: number, source: string): boolean {
  const figure = lastOpen("figure", offset, source);
  if (figure === -1) return false;
  const [after = ""] = source.slice(offset, offset + NEAR).split(/<\/figure/i);
  return /<figcaption[\s>]/i.test(source.slice(figure, offset) + after);
}

function attributeOf(context: unknown): string {
  return typeof context === "object" && context !== null && "key" in context ? String(context.key).toLowerCase() : "";
}
