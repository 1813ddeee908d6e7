import type { CssNode } from "css-tree";
import { formatValue } from "../open-element.ts";
import type { CssProblem } from "./css-problem.ts";

const NAMESPACE = /@namespace\s+([^\s"'();{}]+)\s+(?:url\(|["'])/gi;

/** The prefixes that a style sheet declares. */
export function declaredPrefixes(css: string): ReadonlySet<string> {
  return new Set([...css.matchAll(NAMESPACE)].map(([, prefix = ""]) => prefix));
}

/** A prefix in a selector that is not declared. @see https://drafts.csswg.org/css-namespaces/#css-qnames */
export function prefixProblem(
  node: CssNode,
  declared: ReadonlySet<string>,
): Pick<CssProblem, "rule" | "message"> | undefined {
  const name = node.type === "TypeSelector" ? node.name : node.type === "AttributeSelector" ? node.name.name : "";
  const bar = name.indexOf("|");
  const prefix = name.slice(0, Math.max(0, bar));
  if (prefix === "" || prefix === "*" || prefix.includes("\\") || declared.has(prefix)) return undefined;
  return {
    rule: "css/selector",
    message: `the namespace prefix "${formatValue(prefix)}" is not declared by "@namespace".`,
  };
}
