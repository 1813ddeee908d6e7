import { contrastOf } from "../../../domain/findings/contrast.ts";
import { type MeasuredContrast, measuredText, settledBy } from "../../../domain/findings/measured-contrast.ts";
import type { Findings, RuleResult } from "./in-page.ts";

type Node = RuleResult["nodes"][number];

const RULE = "color-contrast";
/** Fonts that show pictures in place of letters. */
const PICTURES = /icon|symbol|awesome|dings|glyph/i;

/**
 * axe-core leaves it to a person whether a single character is text, although it knows both colours. A letter or a digit
 * is, so that too little contrast is an error; signs, and pictures of icon fonts, stay reviews (docs/adr/0128). What was measured over
 * gradients and pictures passes, fails, or stays a review that says what was measured.
 */
export function settleContrast(
  { violations, incomplete }: Findings,
  measured: ReadonlyMap<Node, MeasuredContrast> = new Map(),
): Findings {
  const undecided = incomplete.find(({ id }) => id === RULE);
  if (!undecided) return { violations, incomplete };
  const judged = undecided.nodes.map((node) => ({
    node: withMeasures(node, measured.get(node)),
    is: verdictOf(node, measured.get(node)),
  }));
  const failing = judged.filter(({ is }) => is === "failed").map(({ node }) => node);
  const left = judged.filter(({ is }) => is === "open").map(({ node }) => node);
  const rest = { ...undecided, nodes: left, total: undecided.total - judged.length + left.length };
  const reviews = incomplete.flatMap((rule) => (rule !== undecided ? [rule] : rest.total > 0 ? [rest] : []));
  if (failing.length === 0) return { violations, incomplete: reviews };
  const settled = { ...undecided, nodes: failing, total: failing.length };
  const known = violations.find(({ id }) => id === RULE);
  const merged = known
    ? { ...known, nodes: [...known.nodes, ...settled.nodes], total: known.total + settled.total }
    : settled;
  return {
    violations: known ? violations.map((rule) => (rule === known ? merged : rule)) : [...violations, merged],
    incomplete: reviews,
  };
}

function verdictOf(node: Node, measured: MeasuredContrast | undefined): "passed" | "failed" | "open" {
  if (isShortTextThatFails(node)) return "failed";
  const required = contrastOf(node.contrast)?.required;
  return measured && required !== undefined ? settledBy(measured, required) : "open";
}

/** With what was measured in place of what axe-core could not say. */
function withMeasures(node: Node, measured: MeasuredContrast | undefined): Node {
  const required = contrastOf(node.contrast)?.required;
  if (isShortTextThatFails(node)) return withSummary(node);
  return measured && required !== undefined ? { ...node, failureSummary: measuredText(measured, required) } : node;
}

/** Whether the contrast of one letter or digit is known, and too small. */
export function isShortTextThatFails({ contrast: data, short }: Pick<Node, "contrast" | "short">): boolean {
  if (!short || typeof short.text !== "string" || typeof short.font !== "string") return false;
  const contrast = contrastOf(data);
  if (!contrast || contrast.ratio === null || contrast.shadow !== null || contrast.ratio >= contrast.required)
    return false;
  return /^[\p{L}\p{N}]$/u.test(short.text) && !PICTURES.test(short.font);
}

function withSummary(node: Node): Node {
  const contrast = contrastOf(node.contrast);
  if (!contrast) return node;
  const { ratio, required, foreground, background, font_size, font_weight } = contrast;
  const failureSummary = `Fix the following:\n  A single character has a color contrast of ${ratio} (foreground color: ${foreground}, background color: ${background}, font size: ${font_size}px, font weight: ${font_weight}). Expected contrast ratio of ${required}:1`;
  return { ...node, failureSummary };
}
