import type { Token } from "parse5";
import {
  type AnyToken,
  type Construction,
  fail,
  failText,
  insertElement,
  insertText,
  insertVoid,
  isCurrent,
  pop,
} from "../construction.ts";
import { ignore, type Rules } from "./rules.ts";
import { inBody } from "./rules-body.ts";
import { headStartTag, repeatedHtml, strayEndTag, strayStartTag } from "./rules-head.ts";

/** After the body everything else is an error, and goes into the body. */
function backToBody(p: Construction, token: AnyToken): void {
  p.mode = "inBody";
  p.reprocess(token);
}

/** @see HTML Standard, 13.2.6.4.17 The "after body" insertion mode */
export const afterBody: Rules = {
  startTag(p, token) {
    if (token.tagName === "html") return repeatedHtml(p, token);
    fail(p, "start-tag-after-body", token, token.tagName);
    backToBody(p, token);
  },
  endTag(p, token) {
    if (token.tagName === "html") {
      p.mode = "afterAfterBody";
      return;
    }
    fail(p, "end-tag-after-body", token, token.tagName);
    backToBody(p, token);
  },
  text(p, token) {
    failText(p, "text-after-body", token);
    backToBody(p, token);
  },
  whiteSpace: (p, token) => inBody.whiteSpace(p, token),
  endOfFile: ignore,
};

/** @see HTML Standard, 13.2.6.4.20 The "after after body" insertion mode */
export const afterAfterBody: Rules = {
  ...afterBody,
  endTag(p, token) {
    fail(p, "end-tag-after-body", token, token.tagName);
    backToBody(p, token);
  },
};

/** @see HTML Standard, 13.2.6.4.18 The "in frameset" insertion mode */
export const inFrameset: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "html") repeatedHtml(p, token);
    else if (name === "frameset") insertElement(p, token);
    else if (name === "frame") insertVoid(p, token);
    else if (name === "noframes") headStartTag(p, token);
    else strayStartTag(p, token);
  },
  endTag(p, token) {
    if (token.tagName !== "frameset" || p.open.items.length < 2) return strayEndTag(p, token);
    pop(p);
    if (!isCurrent(p, "frameset")) p.mode = "afterFrameset";
  },
  text: textInFrameset,
  whiteSpace: insertText,
  endOfFile(p, token) {
    if (p.open.items.length > 1) fail(p, "end-of-file-with-open-elements", token, undefined, 0);
  },
};

function textInFrameset(p: Construction, token: Token.CharacterToken): void {
  failText(p, "text-in-frameset", token);
}

/** @see HTML Standard, 13.2.6.4.19 The "after frameset" insertion mode */
export const afterFrameset: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "html") repeatedHtml(p, token);
    else if (name === "noframes") headStartTag(p, token);
    else strayStartTag(p, token);
  },
  endTag(p, token) {
    if (token.tagName === "html") p.mode = "afterAfterFrameset";
    else strayEndTag(p, token);
  },
  text: textInFrameset,
  whiteSpace: insertText,
  endOfFile: ignore,
};

/** @see HTML Standard, 13.2.6.4.21 The "after after frameset" insertion mode */
export const afterAfterFrameset: Rules = {
  ...afterFrameset,
  endTag: strayEndTag,
  whiteSpace: (p, token) => inBody.whiteSpace(p, token),
};
