import type { CheckKind } from "../../checks/kinds.ts";
import type { Guides } from "./guides.ts";

/**
 * What a rule is called wherever people read it: the title of the guide to it or, for one without a guide, what the engine
 * says.
 *
 * @param message of the engine; null for several of them
 */
export function titleOfRule(
  guides: Pick<Guides, "find">,
  { kind, rule, message }: { kind: CheckKind; rule: string | null; message: string | null },
): string {
  const guide = rule ? guides.find(kind, rule) : undefined;
  return guide?.guide.title ?? message ?? rule ?? "";
}
