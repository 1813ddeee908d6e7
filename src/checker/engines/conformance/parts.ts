import type { Report } from "./finding.ts";
import { htmlSection } from "./finding.ts";
import type { Parameter } from "./grammar/syntax.ts";
import { type ParseProblem, parseHtml } from "./parse-html.ts";
import type { Document } from "./tree.ts";

/** The parts that the engine is made of, until each is there: the one file to switch over. */

export function datatypeProblem(
  _library: string,
  _name: string,
  _parameters: readonly Parameter[],
  _value: string,
): string | undefined {
  return undefined;
}

export function datatypeWarning(_library: string, _name: string, _value: string): string | undefined {
  return undefined;
}

export function checkAssertions(_document: Document, _report: Report): void {}

export type DocumentInput = { source: string; url: string; contentType?: string };
export type DocumentLanguage = "html" | "xhtml" | "svg" | "unknown";
export type ParseFinding = {
  severity: "error" | "warning" | "info";
  rule: string;
  message: string;
  section: string;
  start: number;
  end: number;
};
export type ParsedDocument = {
  document: Document;
  problems: ParseFinding[];
  language: DocumentLanguage;
  movedFrom: number | undefined;
};

export function parseDocument({ source }: DocumentInput): ParsedDocument {
  const { document, problems } = parseHtml(source);
  return { document, problems: problems.map(toFinding), language: "html", movedFrom: undefined };
}

function toFinding({ code, start, end, name }: ParseProblem): ParseFinding {
  return {
    severity: "error",
    rule: `parse/${code}`,
    message: `Parse error: ${code}${name === undefined ? "" : ` (${name})`}.`,
    section: htmlSection("parsing.html#parse-errors"),
    start,
    end: Math.max(end, start + 1),
  };
}
