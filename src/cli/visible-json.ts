import { logJson } from "html-conformance/log-text";

/** A value as JSON that terminals and logs may show. */
export function visibleJson(value: unknown, indent?: number): string {
  return logJson(JSON.stringify(value, null, indent));
}
