import { htmlSection } from "../finding.ts";
import type { DocumentRule, OpenElement } from "./open-element.ts";

/** Namespaces of languages in SVG, MathML and XHTML whose grammar is unknown here. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "RDF"],
  ["http://www.openmath.org/OpenMath", "OpenMath"],
  ["http://www.inkscape.org/namespaces/inkscape", "Inkscape"],
  ["http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd", "Inkscape"],
]);

/** Warns, once for each such language, that it is not checked. */
export const watchUnchecked: DocumentRule = (report) => {
  const seen = new Set<string>();
  return {
    open(open) {
      if (open.name) return;
      const { namespaceURI, attrs } = open.element;
      warn(open, namespaceURI);
      for (const { namespace } of attrs) if (namespace) warn(open, namespace);
    },
  };

  function warn(open: OpenElement, namespace: string): void {
    const language = LANGUAGES.get(namespace);
    if (!language || seen.has(language)) return;
    seen.add(language);
    report(open, {
      severity: "warning",
      rule: `not-checked/${language.toLowerCase()}`,
      message: `This is ${language}, which is not checked here.`,
      section: htmlSection("infrastructure.html#extensibility-2"),
    });
  }
};
