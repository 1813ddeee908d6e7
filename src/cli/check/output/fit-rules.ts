import { plural } from "../../../domain/plural.ts";
import type { RuleText } from "./rule-text.ts";

/** How many components of a rule are shown when there is no room for all. */
const COMPONENTS_OF_RULE = 3;

/**
 * The rules as lines, at most as many as fit: each rule with one component as long as there is room, and the first ones
 * with more of their components. What is left out is counted.
 *
 * @param room the number of lines; Infinity for all
 */
export function fitRules(rules: readonly RuleText[], room: number): string[] {
  const all = rules.flatMap((rule) => blockOf(rule, rule.components.length));
  if (all.length <= room) return all;
  // A line for what is left out.
  let left = room - 1;
  const shown: number[] = [];
  for (const rule of rules) {
    const needed = blockOf(rule, 1).length;
    if (needed > left) break;
    left -= needed;
    shown.push(1);
  }
  for (let components = 2; components <= COMPONENTS_OF_RULE; components++)
    for (const [index, rule] of rules.slice(0, shown.length).entries()) {
      if (shown[index] !== components - 1 || rule.components.length < components) continue;
      const needed = blockOf(rule, components).length - blockOf(rule, components - 1).length;
      if (needed > left) continue;
      left -= needed;
      shown[index] = components;
    }
  const lines = rules.slice(0, shown.length).flatMap((rule, index) => blockOf(rule, shown[index] ?? 1));
  const missing = rules.length - shown.length;
  const what = missing > 0 ? `${plural(missing, "more rule")}, and all places` : "All places";
  return [...lines, `${what}: --verbose`];
}

/** A rule with its first components, how many more it has, and an empty line. */
function blockOf({ head, components }: RuleText, shown: number): string[] {
  const more = components.length - shown;
  return [
    ...head,
    ...components.slice(0, shown).flat(),
    ...(more > 0 ? [`    and ${plural(more, "more place")}`] : []),
    "",
  ];
}
