import type { Message } from "../../../domain/html-message.ts";
import { createCollection } from "../conformance/collect.ts";
import { createSourceLines } from "../conformance/source-lines.ts";
import { downgraded, falsePositives, findingKey } from "./rules.ts";

/** The fields of an html-validate message that are used. */
export type RuleMessage = { ruleId: string; severity: number; message: string; offset: number; size: number };

/** The findings of one page in document order, in the shape that all engines have, and no more than fit. */
export function toMessages(reported: readonly RuleMessage[], source: string): Message[] {
  const collection = createCollection();
  for (const message of reported) {
    const { ruleId: rule, message: text } = message;
    if (falsePositives.has(findingKey(rule, text))) continue;
    const start = Math.trunc(message.offset);
    const end = start + Math.max(1, Math.trunc(message.size));
    collection.add({ severity: severityOf(message), rule, message: text, section: "", start, end });
  }
  return collection.messages(createSourceLines(source));
}

/**
 * Disables directives in the page's comments (`<!-- [html-validate-disable …] -->`). html-validate
 * has no option for that, so the word that it looks for is replaced by another one of the same
 * length, which keeps all offsets right. Extracts come from the original source.
 */
export function withoutDirectives(source: string): string {
  return source.includes("html-validate-")
    ? source.replaceAll(/(<!--\s*\[?)html-validate-/g, "$1html_validate_")
    : source;
}

function severityOf({ ruleId, severity, message }: RuleMessage): "error" | "warning" {
  if (downgraded.has(findingKey(ruleId, message))) return "warning";
  return severity === 2 ? "error" : "warning";
}
