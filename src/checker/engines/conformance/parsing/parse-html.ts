import { defaultTreeAdapter as adapter, type ParserError, Token, Tokenizer } from "parse5";
import type { Document } from "../tree.ts";
import {
  type AnyToken,
  type Construction,
  createConstruction,
  fail,
  insertComment,
  insertText,
  type ModeName,
  pop,
  popFrom,
} from "./construction.ts";
import { checkDoctype } from "./doctype.ts";
import { problemsOfInstruction } from "./instruction.ts";
import type { ParseProblem } from "./problem.ts";
import type { Rules } from "./rules.ts";
import {
  afterAfterBody,
  afterAfterFrameset,
  afterBody,
  afterFrameset,
  inFrameset,
} from "./rules-after.ts";
import { inBody } from "./rules-body.ts";
import { foreignEndTag, foreignStartTag, foreignText, isForeign } from "./rules-foreign.ts";
import { afterHead, beforeHead, beforeHtml, inHead, inHeadNoscript, initial } from "./rules-head.ts";
import {
  endTableText,
  inCaption,
  inCell,
  inColumnGroup,
  inRow,
  inTable,
  inTableBody,
  inTableText,
} from "./rules-table.ts";
import { endTagInTemplate, startTagInTemplate } from "./rules-template.ts";

/** @see HTML Standard, 13.2.6.4.8 The "text" insertion mode */
const text: Rules = {
  startTag: () => undefined,
  endTag: leaveText,
  text: insertText,
  whiteSpace: insertText,
  endOfFile(p, token) {
    fail(p, "end-of-file-in-text", token, p.open.current()?.element.tagName, p.open.items.length - 2);
    leaveText(p);
    p.reprocess(token);
  },
};

function leaveText(p: Construction): void {
  pop(p);
  p.mode = p.originalMode;
}

const modes: Readonly<Record<ModeName, Rules>> = {
  initial,
  beforeHtml,
  beforeHead,
  inHead,
  inHeadNoscript,
  afterHead,
  inBody,
  text,
  inTable,
  inTableText,
  inCaption,
  inColumnGroup,
  inTableBody,
  inRow,
  inCell,
  inTemplate: { ...inBody, startTag: startTagInTemplate, endTag: endTagInTemplate },
  afterBody,
  inFrameset,
  afterFrameset,
  afterAfterBody,
  afterAfterFrameset,
};
/** Modes that a NUL character ends; in all others it is ignored. */
const leftByNull = new Set<ModeName>([
  "initial",
  "beforeHtml",
  "beforeHead",
  "inHead",
  "inHeadNoscript",
  "afterHead",
  "inColumnGroup",
  "afterBody",
  "afterAfterBody",
]);
const { TokenType } = Token;

/**
 * Parses an HTML document as the standard does, and names its parse errors: those of the tokenizer, which is parse5's,
 * and those of tree construction.
 *
 * parse5's own parser says nothing of most errors of tree construction, and has the select element as it was.
 *
 * @see HTML Standard, 13.2 Parsing HTML documents
 */
export function parseHtml(source: string): { document: Document; problems: ParseProblem[] } {
  const problems: ParseProblem[] = [];
  const p = createConstruction(source, (problem) => {
    const last = problems.at(-1);
    if (last?.code !== problem.code || last.start !== problem.start) problems.push(problem);
  });
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, createHandler(p));
  p.tokenizer = tokenizer;
  tokenizer.write(source, true);
  return { document: p.document, problems };
}

function createHandler(p: Construction) {
  const dispatch = (token: AnyToken): void => {
    if (token.type === TokenType.EOF) return modes[p.mode].endOfFile(p, token);
    if (token.type === TokenType.START_TAG) {
      if (isForeign(p, token)) foreignStartTag(p, token, () => modes[p.mode].startTag(p, token));
      else modes[p.mode].startTag(p, token);
    } else if (token.type === TokenType.END_TAG) {
      if (isForeign(p, token)) foreignEndTag(p, token, () => modes[p.mode].endTag(p, token));
      else modes[p.mode].endTag(p, token);
    } else if (token.type === TokenType.CHARACTER || token.type === TokenType.WHITESPACE_CHARACTER) {
      if (isForeign(p, token)) foreignText(p, token);
      else if (token.type === TokenType.WHITESPACE_CHARACTER) modes[p.mode].whiteSpace(p, token);
      else modes[p.mode].text(p, token);
    } else if (token.type === TokenType.NULL_CHARACTER && leftByNull.has(p.mode)) modes[p.mode].text(p, token);
  };
  p.reprocess = dispatch;
  const take = (token: AnyToken): void => {
    p.token = token;
    dispatch(token);
  };
  const endPendingText = (token: AnyToken, then: () => void): void => {
    if (p.mode !== "inTableText") return then();
    const { reprocess } = p;
    p.reprocess = () => undefined;
    endTableText(p, token);
    p.reprocess = reprocess;
    then();
  };

  return {
    onParseError(error: ParserError): void {
      p.report({ code: error.code, start: error.startOffset, end: error.endOffset });
    },
    onStartTag(token: Token.TagToken): void {
      p.skipNewline = false;
      take(token);
      if (token.selfClosing) reportSlash(p, token);
    },
    onEndTag(token: Token.TagToken): void {
      p.skipNewline = false;
      take(token);
    },
    onCharacter(token: Token.CharacterToken): void {
      p.skipNewline = false;
      take(token);
    },
    onWhitespaceCharacter(token: Token.CharacterToken): void {
      const skip = p.skipNewline && token.chars.startsWith("\n");
      p.skipNewline = false;
      if (skip) token.chars = token.chars.slice(1);
      if (token.chars !== "") take(token);
    },
    onNullCharacter(token: Token.CharacterToken): void {
      p.skipNewline = false;
      if (p.mode === "text" || isForeign(p, token)) {
        take({ ...token, type: TokenType.CHARACTER, chars: token.chars.replaceAll("\0", "\uFFFD") });
      } else take(token);
    },
    onComment(token: Token.CommentToken): void {
      p.skipNewline = false;
      problemsOfInstruction(p, token);
      endPendingText(token, () => comment(p, token));
    },
    onDoctype(token: Token.DoctypeToken): void {
      p.skipNewline = false;
      if (p.mode !== "initial") return endPendingText(token, () => fail(p, "stray-doctype", token));
      const { mode, problem } = checkDoctype(token, p.source);
      if (problem) fail(p, problem, token);
      adapter.setDocumentType(p.document, token.name ?? "", token.publicId ?? "", token.systemId ?? "");
      const node = p.document.childNodes.find(({ nodeName }) => nodeName === "#documentType");
      if (node) node.sourceCodeLocation = token.location;
      p.document.mode = mode;
      p.mode = "beforeHtml";
    },
    onEof(token: Token.EOFToken): void {
      take(token);
      popFrom(p, 0);
    },
  };
}

/** A slash at the end of a start tag: it closes foreign elements, and does nothing in HTML. */
function reportSlash(p: Construction, token: Token.TagToken): void {
  if (!token.ackSelfClosing) fail(p, "self-closing-start-tag", token, token.tagName);
  else if (p.lastVoid === token) fail(p, "trailing-slash-on-void-element", token, token.tagName);
}

function comment(p: Construction, token: Token.CommentToken): void {
  const root = p.open.items[0]?.element;
  const outside = ["initial", "beforeHtml", "afterAfterBody", "afterAfterFrameset"].includes(p.mode);
  if (outside) insertComment(p, token, p.document);
  else insertComment(p, token, p.mode === "afterBody" ? root : undefined);
}
