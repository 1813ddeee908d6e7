import { defaultTreeAdapter as adapter, type ParserError, Token, Tokenizer } from "parse5";
import type { Document, Element } from "../tree.ts";
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
import type { Rules } from "./insertion-modes/rules.ts";
import {
  afterAfterBody,
  afterAfterFrameset,
  afterBody,
  afterFrameset,
  inFrameset,
} from "./insertion-modes/rules-after.ts";
import { inBody } from "./insertion-modes/rules-body.ts";
import { foreignEndTag, foreignStartTag, foreignText, isForeign } from "./insertion-modes/rules-foreign.ts";
import { afterHead, beforeHead, beforeHtml, inHead, inHeadNoscript, initial } from "./insertion-modes/rules-head.ts";
import {
  endTableText,
  inCaption,
  inCell,
  inColumnGroup,
  inRow,
  inTable,
  inTableBody,
  inTableText,
} from "./insertion-modes/rules-table.ts";
import { endTagInTemplate, startTagInTemplate } from "./insertion-modes/rules-template.ts";
import { problemsOfInstruction } from "./instruction.ts";
import { createCollector, type ParseProblem, type Unlisted } from "./problem.ts";
import { checkReferences } from "./references.ts";
import { checkHyphens } from "./xml-mapping.ts";

export type ParsedHtml = {
  document: Document;
  problems: ParseProblem[];
  /** How many more problems there are of kinds that have too many. */
  unlisted: Unlisted;
  /** The meta elements, in the order of the source. */
  metas: Element[];
  /** Where in the source the parser first moved something to another place in the tree, if it did. */
  movedFrom: number | undefined;
  /** Elements of XML that were open when its first error ended the parse. */
  unended: ReadonlySet<Element>;
};

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
/** Modes that a NUL character ends; in all others of HTML, but for "text", it is ignored. */
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
 * Parses an HTML document by the standard, and reports its parse errors: those of the tokenizer, which is parse5's, and
 * those of tree construction.
 *
 * parse5's own parser does not report most errors of tree construction, and implements the former select element.
 *
 * @see HTML Standard, 13.2 Parsing HTML documents
 */
export function parseHtml(source: string): ParsedHtml {
  const { problems, unlisted, report } = createCollector();
  const p = createConstruction(source, report);
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, createHandler(p));
  p.tokenizer = tokenizer;
  forgetPlaces(tokenizer);
  tokenizer.write(source, true);
  return { document: p.document, problems, unlisted, metas: p.metas, movedFrom: p.movedFrom, unended: new Set() };
}

/** A tag with more attributes keeps the places of the first ones: each takes as much memory as the attribute itself. */
const MAX_PLACES = 10_000;

/** @see Tokenizer#_createAttr of parse5, which is what begins an attribute with its place */
function forgetPlaces(tokenizer: Tokenizer): void {
  type Internals = {
    _createAttr?(first: string): void;
    currentAttrLocation: unknown;
    currentToken: { attrs?: unknown[] } | null;
  };
  const internals = tokenizer as unknown as Internals;
  const create = internals._createAttr;
  internals._createAttr = function (first) {
    create?.call(this, first);
    if ((this.currentToken?.attrs?.length ?? 0) >= MAX_PLACES) this.currentAttrLocation = null;
  };
}

/** Applies the rules of SVG and MathML, or of the insertion mode, to a token. */
function dispatch(p: Construction, token: AnyToken): void {
  const rules = modes[p.mode];
  if (token.type === TokenType.EOF) rules.endOfFile(p, token);
  else if ("tagName" in token) dispatchTag(p, token);
  else if ("chars" in token) dispatchText(p, token, rules);
}

function dispatchTag(p: Construction, token: Token.TagToken): void {
  const isEndTag = token.type === TokenType.END_TAG;
  const inHtml = (): void => modes[p.mode][isEndTag ? "endTag" : "startTag"](p, token);
  if (!isForeign(p, token)) inHtml();
  else if (isEndTag) foreignEndTag(p, token, inHtml);
  else foreignStartTag(p, token, inHtml);
}

function dispatchText(p: Construction, token: Token.CharacterToken, rules: Rules): void {
  if (token.type === TokenType.NULL_CHARACTER) {
    // Other than text, a NUL in SVG or MathML leaves it possible that a frameset follows.
    if (p.mode === "text" || isForeign(p, token)) insertText(p, withReplacements(token));
    else if (leftByNull.has(p.mode)) rules.text(p, token);
  } else if (isForeign(p, token)) foreignText(p, token);
  else if (token.type === TokenType.WHITESPACE_CHARACTER) rules.whiteSpace(p, token);
  else rules.text(p, token);
}

/** NULs as replacement characters. */
function withReplacements(token: Token.CharacterToken): Token.CharacterToken {
  return { ...token, type: TokenType.CHARACTER, chars: token.chars.replaceAll("\0", "\uFFFD") };
}

/** Ends text in a table before a comment or a doctype, which the rules do not see. */
function endPendingText(p: Construction, token: AnyToken): void {
  if (p.mode !== "inTableText") return;
  const { reprocess } = p;
  p.reprocess = () => undefined;
  endTableText(p, token);
  p.reprocess = reprocess;
}

function createHandler(p: Construction) {
  p.reprocess = (token) => dispatch(p, token);
  const take = (token: AnyToken): void => {
    p.token = token;
    p.skipNewline = false;
    dispatch(p, token);
  };

  return {
    onParseError(error: ParserError): void {
      if (error.code === ("unexpected-question-mark-instead-of-tag-name" as typeof error.code)) return;
      p.report({ code: error.code, start: error.startOffset, end: error.endOffset });
    },
    onStartTag(token: Token.TagToken): void {
      checkReferences(p.source, token, p.report);
      // Nobody else asks for the places of attributes, which take as much memory as the attributes.
      if (token.location?.attrs) (token.location as { attrs?: unknown }).attrs = undefined;
      take(token);
      if (token.selfClosing) reportSlash(p, token);
    },
    onEndTag: take,
    onCharacter: take,
    onWhitespaceCharacter(token: Token.CharacterToken): void {
      const skip = p.skipNewline && token.chars.startsWith("\n");
      if (skip) token.chars = token.chars.slice(1);
      if (token.chars === "") p.skipNewline = false;
      else take(token);
    },
    onNullCharacter: take,
    onComment(token: Token.CommentToken): void {
      p.skipNewline = false;
      problemsOfInstruction(p, token);
      checkHyphens(p.source, token.location?.startOffset ?? 0, token.location?.endOffset ?? 0, p.report);
      endPendingText(p, token);
      comment(p, token);
    },
    onDoctype(token: Token.DoctypeToken): void {
      p.skipNewline = false;
      if (p.mode !== "initial") {
        endPendingText(p, token);
        fail(p, "stray-doctype", token);
        return;
      }
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

/** Reports a slash at the end of a start tag that has no effect: it closes foreign elements only. */
function reportSlash(p: Construction, token: Token.TagToken): void {
  if (!token.ackSelfClosing) fail(p, "self-closing-start-tag", token, token.tagName);
  else if (p.lastVoid === token) fail(p, "trailing-slash-on-void-element", token, token.tagName);
}

function comment(p: Construction, token: Token.CommentToken): void {
  // In SVG and MathML a comment stays in its element, whatever the insertion mode (13.2.6.5).
  const inForeign = p.open.items.at(-1)?.isHtml === false;
  const root = p.open.items[0]?.element;
  const outside = ["initial", "beforeHtml", "afterAfterBody", "afterAfterFrameset"].includes(p.mode);
  if (outside && !inForeign) insertComment(p, token, p.document);
  else insertComment(p, token, p.mode === "afterBody" && !inForeign ? root : undefined);
}
