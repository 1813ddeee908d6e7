import type { CssNode } from "css-tree";
import type { CssProblem } from "./css-problem.ts";

type Misplaced = Pick<CssProblem, "rule" | "message"> & { at: { line: number; column: number } };

/**
 * Rules in the wrong order: imports must come first, then namespaces, then the rest.
 *
 * @see https://drafts.csswg.org/css-cascade/#at-import and https://drafts.csswg.org/css-namespaces/#declaration
 */
export function orderProblems(sheet: CssNode): Misplaced[] {
  if (sheet.type !== "StyleSheet") return [];
  const found: Misplaced[] = [];
  let before = "";
  for (const node of sheet.children) {
    const name = node.type === "Atrule" ? node.name.toLowerCase() : node.type;
    if (name === "Comment" || name === "Raw" || name === "charset" || isLayerStatement(node)) continue;
    const isMisplaced = (name === "import" && before !== "") || (name === "namespace" && before === "other");
    if (isMisplaced && node.loc)
      found.push({ rule: "css/at-rule", message: `"@${name}" must come before other rules.`, at: node.loc.start });
    if (name !== "import" && before !== "other") before = name === "namespace" ? "namespace" : "other";
  }
  return found;
}

function isLayerStatement(node: CssNode): boolean {
  return node.type === "Atrule" && node.name.toLowerCase() === "layer" && node.block === null;
}
