import { texts } from "../texts/en.ts";

/** The names of standards by the beginning of their addresses; the first that fits counts. */
const standards: readonly (readonly [prefix: string, name: string])[] = [
  ["https://html.spec.whatwg.org/", "HTML Standard"],
  ["https://url.spec.whatwg.org/", "URL Standard"],
  ["https://www.w3.org/TR/WCAG22/", "WCAG 2.2"],
  ["https://www.w3.org/TR/charmod", "Character Model for the World Wide Web"],
  ["https://www.w3.org/TR/wai-aria", "WAI-ARIA"],
  ["https://www.w3.org/TR/html-aria", "ARIA in HTML"],
  ["https://www.w3.org/TR/CSP", "Content Security Policy"],
  ["https://www.w3.org/TR/SVG", "SVG"],
  ["https://www.w3.org/TR/css", "CSS"],
  ["https://www.w3.org/TR/mediaqueries", "Media Queries"],
  ["https://www.w3.org/TR/xml", "XML"],
  ["https://www.w3.org/WAI/ARIA/apg/", "ARIA Authoring Practices Guide"],
  ["https://www.w3.org/WAI/", "Web Accessibility Initiative"],
];

/** The standard and the part that an address names: `HTML Standard: images.html#alt`. */
export function sectionName(address: string): string {
  const known = standards.find(([prefix]) => address.startsWith(prefix));
  const [, part = ""] = /([^/]+)\/?$/.exec(address) ?? [];
  return texts.guide.section(known?.[1] ?? new URL(address).hostname, part);
}
