import type { Token } from "parse5";
import type { Construction } from "./construction.ts";

const TARGET_START = /^[A-Za-z_]/;
const TARGET = /^[\w-]*/;

/**
 * Processing instructions, which the tokenizer returns as comments: `<?marker name="x">` is allowed, except for a few
 * targets.
 *
 * @see HTML Standard, 13.1.7 Processing instructions
 */
export function problemsOfInstruction(p: Construction, token: Token.CommentToken): void {
  const { startOffset: start = 0, endOffset: end = start } = token.location ?? {};
  if (!p.source.startsWith("<?", start)) return;
  const target = TARGET.exec(p.source.slice(start + 2, Math.min(end, start + 200)))?.[0] ?? "";
  const next = p.source.charAt(start + 2 + target.length);
  const code = instructionProblem(target, next, p.source.charAt(end - 1) === ">");
  if (code === "eof-in-processing-instruction") p.report({ code, start: end, end, name: target });
  else if (code) p.report({ code, start, end: start + 2 + target.length, name: target });
}

function instructionProblem(target: string, next: string, isClosed: boolean): string | undefined {
  if (target === "" && next === "") return "eof-in-processing-instruction";
  if (!TARGET_START.test(target)) return "invalid-first-character-of-processing-instruction-target";
  if (next !== "" && !/[\s?>]/.test(next)) return "invalid-processing-instruction-target";
  if (/^xml(-stylesheet)?$/i.test(target)) return "disallowed-processing-instruction-target";
  return isClosed ? undefined : "eof-in-processing-instruction";
}
