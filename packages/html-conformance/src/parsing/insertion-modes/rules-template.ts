import type { Token } from "parse5";
import { type AnyToken, type Construction, fail, type ModeName } from "../construction.ts";
import { closeTemplate, endTemplate, headStartTag, headStartTags, strayEndTag } from "./rules-head.ts";

const modes: ReadonlyMap<string, ModeName> = new Map(
  Object.entries<ModeName>({
    caption: "inTable",
    colgroup: "inTable",
    tbody: "inTable",
    tfoot: "inTable",
    thead: "inTable",
    col: "inColumnGroup",
    tr: "inTableBody",
    td: "inRow",
    th: "inRow",
  }),
);

/** @see HTML Standard, 13.2.6.4.16 The "in template" insertion mode: its tags; text is treated as in the body */
export function startTagInTemplate(p: Construction, token: Token.TagToken): void {
  if (headStartTags.has(token.tagName)) {
    headStartTag(p, token);
    return;
  }
  const mode = modes.get(token.tagName) ?? "inBody";
  p.templateModes.pop();
  p.templateModes.push(mode);
  p.mode = mode;
  p.reprocess(token);
}

export function endTagInTemplate(p: Construction, token: Token.TagToken): void {
  if (token.tagName === "template") endTemplate(p, token);
  else strayEndTag(p, token);
}

export function endOfFileInTemplate(p: Construction, token: AnyToken): void {
  fail(p, "end-of-file-with-open-elements", token, undefined, 0);
  // All at once: each template would process the token again, and there may be many.
  for (let at = p.open.last("template"); at >= 0; at = p.open.last("template")) closeTemplate(p, at);
  p.reprocess(token);
}
