import { allowedAttributes, listNames } from "../src/grammar/expectations.ts";
import type { Grammar } from "../src/grammar/pattern.ts";

/** Which of a grammar's elements and attributes were in documents. */
export function createCoverage({ elements }: Grammar) {
  const wantedElements = new Set(elements.flatMap(({ name }) => listNames(name)));
  const wantedAttributes = new Set(elements.flatMap(({ content }) => allowedAttributes(content)));
  const seen = { elements: new Set<string>(), attributes: new Set<string>() };
  return {
    add(source: string): void {
      for (const [, name = ""] of source.matchAll(/<([a-zA-Z][\w-]*)/g)) seen.elements.add(name);
      for (const [, name = ""] of source.matchAll(/ (?:\w+:)?([a-zA-Z][\w-]*)=/g)) seen.attributes.add(name);
    },
    summary() {
      const missing = (wanted: Set<string>, found: Set<string>) =>
        [...wanted].filter((name) => !found.has(name)).sort();
      return {
        elements: wantedElements.size,
        elementsMissing: missing(wantedElements, seen.elements),
        attributes: wantedAttributes.size,
        attributesMissing: missing(wantedAttributes, seen.attributes),
      };
    },
    text(): string {
      const { elements: all, elementsMissing, attributes, attributesMissing } = this.summary();
      const named = [...elementsMissing, ...attributesMissing].slice(0, 20).join(", ");
      return (
        `Of the grammar's ${all} elements ${all - elementsMissing.length} were in the documents, ` +
        `of its ${attributes} attributes ${attributes - attributesMissing.length}${named ? `; not ${named}` : ""}.`
      );
    },
  };
}
