import { type Token, TokenizerMode } from "parse5";
import { clearToMarker, pushMarker } from "../active-formatting.ts";
import {
  type AnyToken,
  addAttributes,
  type Construction,
  fail,
  failText,
  generateAllImpliedEndTags,
  insertElement,
  insertImplied,
  insertText,
  insertVoid,
  isCurrent,
  type ModeName,
  noteMove,
  pop,
  popFrom,
  removeOpen,
  resetMode,
} from "../construction.ts";
import { ignore, type Rules } from "./rules.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Start tags that every mode treats as "in head" does. */
export const headStartTags = set("base basefont bgsound link meta noframes script style template title");
const voidInHead = set("base basefont bgsound link meta");
/** End tags that imply the start of the next part. */
const endTagsThatGoOn = set("body html br");

/** Continues in the next mode. */
function goOn(p: Construction, mode: ModeName, token: AnyToken): void {
  p.mode = mode;
  p.reprocess(token);
}

const MISSING_DOCTYPE = "missing-doctype";

/** @see HTML Standard, 13.2.6.4.1 The "initial" insertion mode: all but the doctype itself */
export const initial: Rules = {
  startTag: missingDoctype,
  endTag: missingDoctype,
  text: missingDoctype,
  whiteSpace: ignore,
  endOfFile: missingDoctype,
};

function missingDoctype(p: Construction, token: AnyToken): void {
  if ("chars" in token) failText(p, MISSING_DOCTYPE, token);
  else fail(p, MISSING_DOCTYPE, token);
  p.document.mode = "quirks" as typeof p.document.mode;
  goOn(p, "beforeHtml", token);
}

/** @see HTML Standard, 13.2.6.4.2 The "before html" insertion mode */
export const beforeHtml: Rules = {
  startTag(p, token) {
    if (token.tagName !== "html") return implyHtml(p, token);
    insertElement(p, token);
    p.mode = "beforeHead";
  },
  endTag(p, token) {
    if (token.tagName === "head" || endTagsThatGoOn.has(token.tagName)) implyHtml(p, token);
    else strayEndTag(p, token);
  },
  text: implyHtml,
  whiteSpace: ignore,
  endOfFile: implyHtml,
};

function implyHtml(p: Construction, token: AnyToken): void {
  insertImplied(p, "html");
  goOn(p, "beforeHead", token);
}

/** @see HTML Standard, 13.2.6.4.3 The "before head" insertion mode */
export const beforeHead: Rules = {
  startTag(p, token) {
    if (token.tagName === "html") return repeatedHtml(p, token);
    if (token.tagName !== "head") return implyHead(p, token);
    p.head = insertElement(p, token).element;
    p.mode = "inHead";
  },
  endTag(p, token) {
    if (token.tagName === "head" || endTagsThatGoOn.has(token.tagName)) implyHead(p, token);
    else strayEndTag(p, token);
  },
  text: implyHead,
  whiteSpace: ignore,
  endOfFile: implyHead,
};

function implyHead(p: Construction, token: AnyToken): void {
  p.head = insertImplied(p, "head").element;
  goOn(p, "inHead", token);
}

/** @see HTML Standard, 13.2.6.4.4 The "in head" insertion mode */
export const inHead: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "html") repeatedHtml(p, token);
    else if (headStartTags.has(name)) headStartTag(p, token);
    else if (name === "noscript") {
      insertElement(p, token);
      p.mode = "inHeadNoscript";
    } else if (name === "head") fail(p, "start-tag-already-open", token, name);
    else leaveHead(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (name === "head") {
      pop(p);
      p.mode = "afterHead";
    } else if (name === "template") endTemplate(p, token);
    else if (endTagsThatGoOn.has(name)) leaveHead(p, token);
    else strayEndTag(p, token);
  },
  text: leaveHead,
  whiteSpace: insertText,
  endOfFile: leaveHead,
};

function leaveHead(p: Construction, token: AnyToken): void {
  pop(p);
  p.headEnd ??= { token, isReported: false };
  goOn(p, "afterHead", token);
}

/** Treats a start tag as "in head" does, in any mode. */
export function headStartTag(p: Construction, token: Token.TagToken): void {
  const { tagName: name } = token;
  if (voidInHead.has(name)) insertVoid(p, token);
  else if (name === "template") startTemplate(p, token);
  else if (name === "title") startText(p, token, TokenizerMode.RCDATA);
  else startText(p, token, name === "script" ? TokenizerMode.SCRIPT_DATA : TokenizerMode.RAWTEXT);
}

/** Opens an element whose content is text only. */
export function startText(p: Construction, token: Token.TagToken, state: Construction["tokenizer"]["state"]): void {
  insertElement(p, token);
  p.tokenizer.state = state;
  p.originalMode = p.mode;
  p.mode = "text";
}

function startTemplate(p: Construction, token: Token.TagToken): void {
  insertElement(p, token);
  pushMarker(p.formatting);
  p.framesetOk = false;
  p.mode = "inTemplate";
  p.templateModes.push("inTemplate");
}

export function endTemplate(p: Construction, token: Token.TagToken): void {
  const at = p.open.last("template");
  if (at < 0) {
    strayEndTag(p, token);
    return;
  }
  generateAllImpliedEndTags(p);
  if (!isCurrent(p, "template")) fail(p, "end-tag-with-open-elements", token, "template", at);
  closeTemplate(p, at);
}

export function closeTemplate(p: Construction, at: number): void {
  popFrom(p, at);
  clearToMarker(p.formatting);
  p.templateModes.pop();
  resetMode(p);
}

/** @see HTML Standard, 13.2.6.4.5 The "in head noscript" insertion mode */
const noscriptStartTags = set("basefont bgsound link meta noframes style");
export const inHeadNoscript: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "html") repeatedHtml(p, token);
    else if (noscriptStartTags.has(name)) headStartTag(p, token);
    else if (name === "head" || name === "noscript") fail(p, "start-tag-already-open", token, name);
    else {
      fail(p, "start-tag-in-head-noscript", token, name);
      leaveNoscript(p, token);
    }
  },
  endTag(p, token) {
    if (token.tagName === "noscript") {
      pop(p);
      p.mode = "inHead";
    } else {
      strayEndTag(p, token);
      if (token.tagName === "br") leaveNoscript(p, token);
    }
  },
  text(p, token) {
    failText(p, "text-in-head-noscript", token);
    leaveNoscript(p, token);
  },
  whiteSpace: insertText,
  endOfFile(p, token) {
    fail(p, "end-of-file-with-open-elements", token, undefined, 0);
    leaveNoscript(p, token);
  },
};

function leaveNoscript(p: Construction, token: AnyToken): void {
  pop(p);
  goOn(p, "inHead", token);
}

/** @see HTML Standard, 13.2.6.4.6 The "after head" insertion mode */
export const afterHead: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "html") repeatedHtml(p, token);
    else if (name === "body") {
      insertElement(p, token);
      p.framesetOk = false;
      p.mode = "inBody";
    } else if (name === "frameset") {
      insertElement(p, token);
      p.mode = "inFrameset";
    } else if (headStartTags.has(name)) {
      fail(p, "start-tag-after-head", token, name);
      if (!p.head) return;
      noteMove(p);
      const head = p.open.push(p.head, undefined);
      headStartTag(p, token);
      removeOpen(p, head);
    } else if (name === "head") strayStartTag(p, token);
    else implyBody(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (name === "template") endTemplate(p, token);
    else if (endTagsThatGoOn.has(name)) implyBody(p, token);
    else strayEndTag(p, token);
  },
  text: implyBody,
  whiteSpace: insertText,
  endOfFile: implyBody,
};

function implyBody(p: Construction, token: AnyToken): void {
  insertImplied(p, "body");
  goOn(p, "inBody", token);
}

/** A second html start tag: it only adds attributes. */
export function repeatedHtml(p: Construction, token: Token.TagToken): void {
  fail(p, "stray-start-tag", token, "html");
  const root = p.open.items[0];
  if (root && !p.open.has("template")) addAttributes(p, root.element, token);
}

export function strayStartTag(p: Construction, token: Token.TagToken): void {
  fail(p, "stray-start-tag", token, token.tagName);
}

export function strayEndTag(p: Construction, token: Token.TagToken): void {
  const { headEnd } = p;
  if (token.tagName === "head" && headEnd && !headEnd.isReported) {
    // The end tag is right: what stands before it does not belong into the head.
    if ("tagName" in headEnd.token) fail(p, "start-tag-in-head", headEnd.token, headEnd.token.tagName);
    else if ("chars" in headEnd.token) failText(p, "text-in-head", headEnd.token);
    headEnd.isReported = true;
    return;
  }
  fail(p, "stray-end-tag", token, token.tagName);
}
