import { Token } from "parse5";
import { clearToMarker, pushMarker } from "../active-formatting.ts";
import {
  type AnyToken,
  type Construction,
  clearStackTo,
  fail,
  generateImpliedEndTags,
  insertElement,
  insertImplied,
  insertText,
  insertVoid,
  isCurrent,
  isTablePart,
  pop,
  popFrom,
  resetMode,
} from "../construction.ts";
import type { Rules } from "./rules.ts";
import { inBody, isHidden } from "./rules-body.ts";
import { endTemplate, headStartTag, repeatedHtml, strayEndTag, strayStartTag } from "./rules-head.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const tableContext = set("table template html");
const tableBodyContext = set("tbody tfoot thead template html");
const tableRowContext = set("tr template html");
const rowGroups = set("tbody tfoot thead");
const cells = set("td th");
/** Tags that end a cell, a row or a caption. */
const tableTags = set("caption col colgroup tbody td tfoot th thead tr");
const strayEndTags = set("body caption col colgroup html tbody td tfoot th thead tr");

/** Moves content that is not allowed in a table before the table. */
function foster<T extends AnyToken>(p: Construction, rule: (p: Construction, token: T) => void, token: T): void {
  p.fosterParenting = true;
  rule(p, token);
  p.fosterParenting = false;
}

/** @see HTML Standard, 13.2.6.4.9 The "in table" insertion mode */
export const inTable: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "caption") {
      clearStackTo(p, tableContext);
      pushMarker(p.formatting);
      insertElement(p, token);
      p.mode = "inCaption";
    } else if (name === "colgroup") {
      clearStackTo(p, tableContext);
      insertElement(p, token);
      p.mode = "inColumnGroup";
    } else if (name === "col") {
      clearStackTo(p, tableContext);
      insertImplied(p, "colgroup");
      p.mode = "inColumnGroup";
      p.reprocess(token);
    } else if (rowGroups.has(name)) {
      clearStackTo(p, tableContext);
      insertElement(p, token);
      p.mode = "inTableBody";
    } else if (name === "tr" || cells.has(name)) {
      clearStackTo(p, tableContext);
      insertImplied(p, "tbody");
      p.mode = "inTableBody";
      p.reprocess(token);
    } else startTagThatDoesNotFit(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (name === "table") {
      if (!p.open.hasInScope("table", "tableScope")) return strayEndTag(p, token);
      popFrom(p, p.open.last("table"));
      resetMode(p);
    } else if (name === "template") endTemplate(p, token);
    else {
      strayEndTag(p, token);
      if (!strayEndTags.has(name)) foster(p, inBody.endTag, token);
    }
  },
  text: tableText,
  whiteSpace: tableText,
  endOfFile: (p, token) => inBody.endOfFile(p, token),
};

function startTagThatDoesNotFit(p: Construction, token: Token.TagToken): void {
  const { tagName: name } = token;
  if (name === "table") {
    fail(p, "table-in-table", token, name);
    if (!p.open.hasInScope("table", "tableScope")) return;
    popFrom(p, p.open.last("table"));
    resetMode(p);
    p.reprocess(token);
    return;
  }
  if (name === "style" || name === "script" || name === "template") {
    headStartTag(p, token);
    return;
  }
  fail(p, "start-tag-in-table", token, name);
  if (name === "input" && isHidden(token)) insertVoid(p, token);
  else if (name === "form") {
    if (p.form || p.open.has("template")) return;
    p.form = insertElement(p, token).element;
    pop(p);
  } else foster(p, inBody.startTag, token);
}

function tableText(p: Construction, token: Token.CharacterToken): void {
  const key = p.open.current()?.key ?? "";
  if (isTablePart(key) || key === "template") {
    p.pendingTableText.length = 0;
    p.originalMode = p.mode;
    p.mode = "inTableText";
    p.reprocess(token);
    return;
  }
  if (!isSpace(token)) fail(p, "text-in-table", token);
  foster(p, isSpace(token) ? inBody.whiteSpace : inBody.text, token);
}

function isSpace({ type }: Token.CharacterToken): boolean {
  return type === Token.TokenType.WHITESPACE_CHARACTER;
}

/** @see HTML Standard, 13.2.6.4.10 The "in table text" insertion mode */
export const inTableText: Rules = {
  startTag: endTableText,
  endTag: endTableText,
  text: (p, token) => void p.pendingTableText.push(token),
  whiteSpace: (p, token) => void p.pendingTableText.push(token),
  endOfFile: endTableText,
};

/** Ends the text before a tag in a table, where only white space is allowed. */
export function endTableText(p: Construction, token: AnyToken): void {
  const texts = p.pendingTableText;
  const first = texts.find((text) => !isSpace(text));
  if (first?.location) {
    const end = token.location?.endOffset ?? first.location.endOffset;
    p.report({ code: "text-in-table", start: first.location.startOffset, end });
    for (const text of texts) foster(p, isSpace(text) ? inBody.whiteSpace : inBody.text, text);
  } else for (const text of texts) insertText(p, text);
  p.pendingTableText.length = 0;
  p.mode = p.originalMode;
  p.reprocess(token);
}

/** @see HTML Standard, 13.2.6.4.11 The "in caption" insertion mode */
export const inCaption: Rules = {
  ...inBody,
  startTag(p, token) {
    if (tableTags.has(token.tagName)) {
      if (closeCaption(p, token, "stray-start-tag")) p.reprocess(token);
    } else inBody.startTag(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (name === "caption") closeCaption(p, token, "stray-end-tag");
    else if (name === "table") {
      if (closeCaption(p, token, "stray-end-tag")) p.reprocess(token);
    } else if (strayEndTags.has(name)) strayEndTag(p, token);
    else inBody.endTag(p, token);
  },
};

function closeCaption(p: Construction, token: Token.TagToken, code: string): boolean {
  if (!p.open.hasInScope("caption", "tableScope")) {
    fail(p, code, token, token.tagName);
    return false;
  }
  const at = p.open.last("caption");
  generateImpliedEndTags(p);
  if (!isCurrent(p, "caption")) fail(p, "implied-end-tag-with-open-elements", token, "caption", at);
  popFrom(p, at);
  clearToMarker(p.formatting);
  p.mode = "inTable";
  return true;
}

/** @see HTML Standard, 13.2.6.4.12 The "in column group" insertion mode */
export const inColumnGroup: Rules = {
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "html") repeatedHtml(p, token);
    else if (name === "col") insertVoid(p, token);
    else if (name === "template") headStartTag(p, token);
    else if (isCurrent(p, "colgroup")) leaveColumnGroup(p, token);
    else strayStartTag(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (name === "colgroup" && isCurrent(p, "colgroup")) {
      pop(p);
      p.mode = "inTable";
    } else if (name === "template") endTemplate(p, token);
    else if (name === "col" || !isCurrent(p, "colgroup")) strayEndTag(p, token);
    else leaveColumnGroup(p, token);
  },
  text(p, token) {
    if (isCurrent(p, "colgroup")) leaveColumnGroup(p, token);
    else fail(p, "text-in-table", token);
  },
  whiteSpace: insertText,
  endOfFile: (p, token) => inBody.endOfFile(p, token),
};

function leaveColumnGroup(p: Construction, token: AnyToken): void {
  pop(p);
  p.mode = "inTable";
  p.reprocess(token);
}

/** @see HTML Standard, 13.2.6.4.13 The "in table body" insertion mode */
export const inTableBody: Rules = {
  ...inTable,
  startTag(p, token) {
    const { tagName: name } = token;
    if (name === "tr") {
      clearStackTo(p, tableBodyContext);
      insertElement(p, token);
      p.mode = "inRow";
    } else if (cells.has(name)) {
      fail(p, "cell-outside-row", token, name);
      clearStackTo(p, tableBodyContext);
      insertImplied(p, "tr");
      p.mode = "inRow";
      p.reprocess(token);
    } else if (tableTags.has(name)) closeRowGroup(p, token, "stray-start-tag");
    else inTable.startTag(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (rowGroups.has(name)) {
      if (!p.open.hasInScope(name, "tableScope")) return strayEndTag(p, token);
      clearStackTo(p, tableBodyContext);
      pop(p);
      p.mode = "inTable";
    } else if (name === "table") closeRowGroup(p, token, "stray-end-tag");
    else if (strayEndTags.has(name)) strayEndTag(p, token);
    else inTable.endTag(p, token);
  },
};

function closeRowGroup(p: Construction, token: Token.TagToken, code: string): void {
  if (![...rowGroups].some((name) => p.open.hasInScope(name, "tableScope"))) {
    fail(p, code, token, token.tagName);
    return;
  }
  clearStackTo(p, tableBodyContext);
  pop(p);
  p.mode = "inTable";
  p.reprocess(token);
}

/** @see HTML Standard, 13.2.6.4.14 The "in row" insertion mode */
export const inRow: Rules = {
  ...inTable,
  startTag(p, token) {
    const { tagName: name } = token;
    if (cells.has(name)) {
      clearStackTo(p, tableRowContext);
      insertElement(p, token);
      p.mode = "inCell";
      pushMarker(p.formatting);
    } else if (tableTags.has(name)) closeRow(p, token, "stray-start-tag");
    else inTable.startTag(p, token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (name === "tr") {
      if (!p.open.hasInScope("tr", "tableScope")) return strayEndTag(p, token);
      leaveRow(p);
    } else if (name === "table") closeRow(p, token, "stray-end-tag");
    else if (rowGroups.has(name)) {
      if (!p.open.hasInScope(name, "tableScope")) strayEndTag(p, token);
      else if (p.open.hasInScope("tr", "tableScope")) closeRow(p, token, "stray-end-tag");
    } else if (strayEndTags.has(name)) strayEndTag(p, token);
    else inTable.endTag(p, token);
  },
};

function leaveRow(p: Construction): void {
  clearStackTo(p, tableRowContext);
  pop(p);
  p.mode = "inTableBody";
}

function closeRow(p: Construction, token: Token.TagToken, code: string): void {
  if (!p.open.hasInScope("tr", "tableScope")) {
    fail(p, code, token, token.tagName);
    return;
  }
  leaveRow(p);
  p.reprocess(token);
}

/** @see HTML Standard, 13.2.6.4.15 The "in cell" insertion mode */
export const inCell: Rules = {
  ...inBody,
  startTag(p, token) {
    if (!tableTags.has(token.tagName)) return inBody.startTag(p, token);
    if (!hasCell(p)) return strayStartTag(p, token);
    closeCell(p, token, undefined);
    p.reprocess(token);
  },
  endTag(p, token) {
    const { tagName: name } = token;
    if (cells.has(name)) {
      if (p.open.hasInScope(name, "tableScope")) closeCell(p, token, name);
      else strayEndTag(p, token);
    } else if (name === "table" || rowGroups.has(name) || name === "tr") {
      if (!p.open.hasInScope(name, "tableScope")) return strayEndTag(p, token);
      closeCell(p, token, undefined);
      p.reprocess(token);
    } else if (strayEndTags.has(name)) strayEndTag(p, token);
    else inBody.endTag(p, token);
  },
};

function hasCell(p: Construction): boolean {
  return p.open.hasInScope("td", "tableScope") || p.open.hasInScope("th", "tableScope");
}

/** Closes the cell for its end tag, or for another tag that ends it. */
function closeCell(p: Construction, token: Token.TagToken, name: string | undefined): void {
  const at = name ? p.open.last(name) : Math.max(p.open.last("td"), p.open.last("th"));
  generateImpliedEndTags(p);
  const key = p.open.items[at]?.key ?? "td";
  if (!isCurrent(p, key)) {
    const code = name ? "end-tag-with-open-elements" : "implied-end-tag-with-open-elements";
    fail(p, code, token, key, at);
  }
  popFrom(p, at);
  clearToMarker(p.formatting);
  p.mode = "inRow";
}
