import { createCollection, createSourceLines, type Message } from "html-conformance/messages";
import { judge, type RuleMessage } from "./exceptions.ts";

/** The findings of one page in document order, in the shape of all engines, up to the limits. */
export function toMessages(reported: readonly RuleMessage[], source: string): Message[] {
  const collection = createCollection();
  for (const message of reported) {
    const { ruleId: rule, message: text } = message;
    const severity = judge(message, source);
    if (severity === "none") continue;
    const start = Math.trunc(message.offset);
    const end = start + Math.max(1, Math.trunc(message.size));
    collection.add({ severity, rule, message: text, section: "", start, end });
  }
  return collection.messages(createSourceLines(source));
}
