import { parse, type Token } from "parse5";
import type { Document } from "../tree.ts";

const LEGACY_COMPAT = "about:legacy-compat";

/**
 * The document mode that a doctype at the start of a document sets, and the code of its problem.
 *
 * @see HTML Standard, 13.2.6.4.1 The "initial" insertion mode
 */
export function checkDoctype(token: Token.DoctypeToken, source: string): { mode: Document["mode"]; problem?: string } {
  const { startOffset = 0, endOffset = 0 } = token.location ?? {};
  const { mode } = parse(source.slice(startOffset, endOffset));
  if ((mode as string) === "quirks") return { mode, problem: "quirks-mode-doctype" };
  if (token.publicId !== null) return { mode, problem: "obsolete-doctype" };
  if (token.systemId === LEGACY_COMPAT) return { mode, problem: "legacy-compat-doctype" };
  return token.systemId === null ? { mode } : { mode, problem: "obsolete-doctype" };
}
