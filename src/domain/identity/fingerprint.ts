import type { CheckKind } from "../findings/findings.ts";
import { digest } from "./digest.ts";
import type { ElementKey } from "./element-key.ts";

/** One fault: of a rule, at an element, on a page. */
export type FaultKey = {
  kind: CheckKind;
  /** The engine's name of the rule. */
  rule: string;
  /** Of `pageKey`. */
  page: string;
  /** The element, or null for a finding about the document as a whole. */
  element: ElementKey | null;
};

/** 20 characters (0-9, a-f) that are the same for the same fault in every run, on every machine. */
export function fingerprint({ kind, rule, page, element }: FaultKey): string {
  return digest([kind, rule, page, element?.tag ?? "", element?.path ?? ""]);
}

/** The same for the same fault on whatever page: findings of a template share it. */
export function componentKey({ kind, rule, element }: Omit<FaultKey, "page">): string {
  return digest([kind, rule, element?.tag ?? "", element?.path ?? ""]);
}
