import { defaultTreeAdapter as adapter, type html, Token, type Tokenizer } from "parse5";
import { type Document, type Element, HTML, type Node } from "../tree.ts";
import { type FormattingList, pushFormatting } from "./active-formatting.ts";
import { createOpenElements, hasOptionalEndTag, type OpenElement, type OpenElements } from "./open-elements.ts";
import type { ParseProblem } from "./problem.ts";

export type ModeName =
  | "initial"
  | "beforeHtml"
  | "beforeHead"
  | "inHead"
  | "inHeadNoscript"
  | "afterHead"
  | "inBody"
  | "text"
  | "inTable"
  | "inTableText"
  | "inCaption"
  | "inColumnGroup"
  | "inTableBody"
  | "inRow"
  | "inCell"
  | "inTemplate"
  | "afterBody"
  | "inFrameset"
  | "afterFrameset"
  | "afterAfterBody"
  | "afterAfterFrameset";

export type AnyToken = Token.TagToken | Token.CharacterToken | Token.CommentToken | Token.DoctypeToken | Token.EOFToken;

/** The state of tree construction. */
export type Construction = {
  readonly source: string;
  readonly document: Document;
  readonly open: OpenElements;
  readonly formatting: FormattingList;
  readonly templateModes: ModeName[];
  readonly pendingTableText: Token.CharacterToken[];
  readonly report: (problem: ParseProblem) => void;
  tokenizer: Tokenizer;
  mode: ModeName;
  originalMode: ModeName;
  head: Element | undefined;
  /** What ended the head without its end tag, and whether that was reported since its end tag came after all. */
  headEnd: { token: AnyToken; isReported: boolean } | undefined;
  form: Element | undefined;
  framesetOk: boolean;
  fosterParenting: boolean;
  skipNewline: boolean;
  /** The tag of the last void element. */
  lastVoid: Token.TagToken | undefined;
  /** Text before this offset has been reported. */
  textReportedTo: number;
  /** The tree is deeper than browsers keep it, and that has been reported. */
  isDeep: boolean;
  /** Where in the source the parser first moved something to another place in the tree. */
  movedFrom: number | undefined;
  /** The current token: elements that are popped end there. */
  token: AnyToken | undefined;
  /** Counts steps that hostile input can multiply; beyond a limit the parser takes short cuts. */
  work: number;
  /** The meta elements of the document. */
  readonly metas: Element[];
  /** The names of the attributes of html and body, once a second tag added some. */
  readonly knownAttributes: Map<Element, Set<string>>;
  /** Applies the rules of the mode to a token again. */
  reprocess: (token: AnyToken) => void;
};

/** The most stack entries moved, elements reopened and unclosed elements listed, for a whole document. */
const MAX_WORK = 2_000_000;
/** Browsers put deeper elements beside their parents instead. */
const MAX_DEPTH = 512;
type ParentNode = NonNullable<Node["parentNode"]>;

export function createConstruction(source: string, report: (problem: ParseProblem) => void): Construction {
  return {
    source,
    report,
    document: adapter.createDocument(),
    open: createOpenElements(),
    formatting: [],
    templateModes: [],
    pendingTableText: [],
    tokenizer: undefined as unknown as Tokenizer,
    mode: "initial",
    originalMode: "initial",
    head: undefined,
    headEnd: undefined,
    form: undefined,
    framesetOk: true,
    fosterParenting: false,
    skipNewline: false,
    lastVoid: undefined,
    textReportedTo: 0,
    isDeep: false,
    movedFrom: undefined,
    token: undefined,
    work: 0,
    metas: [],
    knownAttributes: new Map(),
    reprocess: () => undefined,
  };
}

export function isExhausted(p: Construction): boolean {
  return p.work > MAX_WORK;
}

/** Reports a parse error at a token; `open` elements above an index are named one by one. */
export function fail(p: Construction, code: string, token: AnyToken, name?: string, openAbove?: number): void {
  const { startOffset = 0, endOffset: end = startOffset } = token.location ?? {};
  // The end of the file is where its last character is.
  const start = token.type === Token.TokenType.EOF ? Math.max(0, end - 1) : startOffset;
  const unclosed = openAbove === undefined ? undefined : firstUnclosed(p, openAbove);
  const follows = unclosed?.token?.location?.startOffset;
  p.report({
    code,
    start,
    end,
    ...(name !== undefined && { name }),
    ...((openAbove !== undefined || code === "end-tag-with-open-elements") && {
      found: `<${(unclosed ?? p.open.current())?.element.tagName}>`,
    }),
    ...(follows !== undefined && { follows }),
  });
  if (openAbove !== undefined) reportUnclosed(p, openAbove);
}

/** The outermost element above an index whose end tag is missing. */
function firstUnclosed({ open: { items } }: Construction, above: number): OpenElement | undefined {
  return items.slice(above + 1).find(({ isHtml, key }) => !isHtml || !hasOptionalEndTag(key));
}

/** Records that something is moved to another place in the tree. */
export function noteMove(p: Construction): void {
  p.movedFrom ??= p.token?.location?.startOffset ?? 0;
}

/** Reports text, up to the next tag. */
export function failText(p: Construction, code: string, { location }: Token.CharacterToken): void {
  const start = location?.startOffset ?? 0;
  const next = p.source.indexOf("<", start);
  const end = next < 0 ? p.source.length : next;
  if (end > p.textReportedTo) p.report({ code, start, end });
  p.textReportedTo = end;
}

/** Reports each element above an index whose end tag is missing, once. */
function reportUnclosed(p: Construction, above: number): void {
  const { items } = p.open;
  for (let i = items.length - 1; i > above && !isExhausted(p); i--) {
    const entry = items[i] as OpenElement;
    p.work += 1;
    if (entry.unclosed.reported || (entry.isHtml && hasOptionalEndTag(entry.key))) continue;
    entry.unclosed.reported = true;
    const at = entry.token?.location;
    const { tagName: name } = entry.element;
    if (at) p.report({ code: "unclosed-element", start: at.startOffset, end: at.endOffset, name });
  }
}

export function isCurrent(p: Construction, ...names: readonly string[]): boolean {
  const key = p.open.current()?.key;
  return key !== undefined && names.includes(key);
}

function updateTokenizer(p: Construction): void {
  const current = p.open.current();
  p.tokenizer.inForeignNode = current !== undefined && !current.isHtml;
}

const textPoints = new Set(["math:mi", "math:mo", "math:mn", "math:ms", "math:mtext"]);
const htmlPoints = new Set(["svg:foreignObject", "svg:desc", "svg:title"]);

export function isMathTextPoint({ key }: OpenElement): boolean {
  return textPoints.has(key);
}

/** A place in SVG or MathML where HTML may stand. */
export function isHtmlPoint({ key, element }: OpenElement): boolean {
  if (key !== "math:annotation-xml") return htmlPoints.has(key);
  const encoding = element.attrs.find(({ name }) => name === "encoding")?.value.toLowerCase();
  return encoding === "text/html" || encoding === "application/xhtml+xml";
}

/** Where nodes go: a parent and, with foster parenting, the table that they are put before. */
function insertionPlace(p: Construction, override?: OpenElement): { parent: ParentNode; before?: Element } {
  const target = override ?? p.open.current();
  if (!target) return { parent: p.document };
  if (p.fosterParenting && isTablePart(target.key)) return fosterPlace(p);
  return { parent: contentOf(target.element) };
}

const tableParts = new Set(["table", "tbody", "tfoot", "thead", "tr"]);

export function isTablePart(key: string): boolean {
  return tableParts.has(key);
}

function fosterPlace(p: Construction): { parent: ParentNode; before?: Element } {
  const { open } = p;
  noteMove(p);
  const template = open.last("template");
  const table = open.last("table");
  const root = open.items[0] as OpenElement;
  if (template > table) return { parent: contentOf((open.items[template] as OpenElement).element) };
  if (table < 0) return { parent: root.element };
  const { element } = open.items[table] as OpenElement;
  if (element.parentNode) return { parent: element.parentNode, before: element };
  return { parent: (open.items[table - 1] ?? root).element };
}

function contentOf(element: Element): ParentNode {
  return "content" in element ? (element as Element & { content: ParentNode }).content : element;
}

function attach(node: Node, { parent, before }: { parent: ParentNode; before?: Element }): void {
  const at = before ? parent.childNodes.lastIndexOf(before) : -1;
  node.parentNode = parent;
  if (at < 0) parent.childNodes.push(node);
  else parent.childNodes.splice(at, 0, node);
}

export function detach(node: Node): void {
  const siblings = node.parentNode?.childNodes ?? [];
  const at = siblings.lastIndexOf(node);
  if (at >= 0) siblings.splice(at, 1);
  node.parentNode = null;
}

/** Puts a node where a new one would go if this element were the current one. */
export function insertNodeAt(p: Construction, node: Node, override: OpenElement): void {
  detach(node);
  attach(node, insertionPlace(p, override));
  updateTokenizer(p);
}

function createElement(name: string, namespace: string, attrs: Token.Attribute[]): Element {
  const element = adapter.createElement(name, namespace as html.NS, attrs);
  if (name === "template" && namespace === HTML)
    adapter.setTemplateContent(element as never, adapter.createDocumentFragment());
  return element;
}

/** Creates the element for a start tag, and opens it. */
export function insertElement(p: Construction, token: Token.TagToken, namespace: string = HTML): OpenElement {
  return opened(p, elementOf(p, token, namespace), token);
}

/** Creates an element that has no content. */
export function insertVoid(p: Construction, token: Token.TagToken): void {
  token.ackSelfClosing = true;
  p.lastVoid = token;
  const element = elementOf(p, token, HTML);
  if (token.tagName === "meta") p.metas.push(element);
}

function elementOf(p: Construction, token: Token.TagToken, namespace: string): Element {
  const element = createElement(token.tagName, namespace, token.attrs);
  const { location } = token;
  element.sourceCodeLocation = location ? { ...location, startTag: location } : null;
  attach(element, insertionPlace(p));
  return element;
}

/** Creates an element that has no start tag in the source; an end tag may cause it. */
export function insertImplied(p: Construction, name: string, endTag?: Token.TagToken): OpenElement {
  const element = createElement(name, HTML, []);
  element.sourceCodeLocation = endTag?.location ? { ...endTag.location } : null;
  attach(element, insertionPlace(p));
  return opened(p, element, undefined);
}

function opened(
  p: Construction,
  element: Element,
  token: Token.TagToken | undefined,
  unclosed?: OpenElement["unclosed"],
): OpenElement {
  const entry = p.open.push(element, token, unclosed);
  if (entry.index === MAX_DEPTH && token && !p.isDeep) {
    p.isDeep = true;
    fail(p, "deep-tree", token, token.tagName);
  }
  updateTokenizer(p);
  return entry;
}

/** A copy of an open element, which takes its place. */
export function copyOf({ element, key, isHtml, token, unclosed, nearest }: OpenElement): OpenElement {
  const copy = createElement(element.tagName, element.namespaceURI, [...element.attrs]);
  copy.sourceCodeLocation = element.sourceCodeLocation?.startTag
    ? { ...element.sourceCodeLocation.startTag, startTag: element.sourceCodeLocation.startTag }
    : null;
  return { element: copy, key, isHtml, token, unclosed, nearest, index: -1, nearestHtml: -1, needingEndTag: 0 };
}

export function insertText(p: Construction, { chars, location }: Token.CharacterToken): void {
  const { parent, before } = insertionPlace(p);
  if (parent === p.document) return;
  const end = before ? parent.childNodes.lastIndexOf(before) : parent.childNodes.length;
  const previous = parent.childNodes[end - 1];
  if (previous?.nodeName === "#text" && "value" in previous) {
    previous.value += chars;
    extendTo(previous.sourceCodeLocation, location);
    return;
  }
  const node = adapter.createTextNode(chars);
  node.sourceCodeLocation = location;
  attach(node, before ? { parent, before } : { parent });
}

/** Moves the end of a place to the end of another. */
function extendTo(place: Token.Location | null | undefined, to: Token.Location | null): void {
  if (!place || !to) return;
  place.endOffset = to.endOffset;
  place.endLine = to.endLine;
  place.endCol = to.endCol;
}

export function insertComment(p: Construction, token: Token.CommentToken, parent?: ParentNode): void {
  const node = adapter.createCommentNode(token.data);
  node.sourceCodeLocation = token.location;
  attach(node, parent ? { parent } : insertionPlace(p));
}

/** Closes the current element. */
export function pop(p: Construction): OpenElement | undefined {
  const entry = p.open.pop();
  if (entry) setEnd(entry.element, p.token);
  updateTokenizer(p);
  return entry;
}

/** Closes all elements from an index up. */
export function popFrom(p: Construction, index: number): void {
  while (p.open.items.length > index) pop(p);
}

/** Removes an element from anywhere in the stack. */
export function removeOpen(p: Construction, entry: OpenElement): void {
  if (entry.index < 0) return;
  p.work += p.open.remove(entry);
  setEnd(entry.element, p.token);
  updateTokenizer(p);
}

function setEnd(element: Element, token: AnyToken | undefined): void {
  const known = element.sourceCodeLocation;
  const end = token?.location;
  if (!known || !end) return;
  if (token.type === Token.TokenType.END_TAG && element.tagName.toLowerCase() === token.tagName) {
    known.endTag = end;
    extendTo(known, end);
    return;
  }
  known.endOffset = end.startOffset;
  known.endLine = end.startLine;
  known.endCol = end.startCol;
}

const implied = new Set("dd dt li optgroup option p rb rp rt rtc".split(" "));
const impliedThoroughly = new Set([...implied, ..."caption colgroup tbody td tfoot th thead tr".split(" ")]);

export function generateImpliedEndTags(p: Construction, except?: string): void {
  for (let key = p.open.current()?.key; key && key !== except && implied.has(key); key = p.open.current()?.key) pop(p);
}

export function generateAllImpliedEndTags(p: Construction): void {
  for (let key = p.open.current()?.key; key && impliedThoroughly.has(key); key = p.open.current()?.key) pop(p);
}

/** Closes elements up to one of these. */
export function clearStackTo(p: Construction, keys: ReadonlySet<string>): void {
  for (let key = p.open.current()?.key; key && !keys.has(key); key = p.open.current()?.key) pop(p);
}

/** Reopens the formatting elements that still apply. */
export function reconstructFormatting(p: Construction): void {
  const { formatting } = p;
  let i = formatting.length;
  while (i > 0) {
    const entry = formatting[i - 1];
    if (!entry || entry.index >= 0) break;
    i -= 1;
  }
  if (i === formatting.length) return;
  if (isExhausted(p)) {
    formatting.splice(i);
    return;
  }
  for (; i < formatting.length; i++) {
    p.work += 1;
    const { element, token, unclosed } = copyOf(formatting[i] as OpenElement);
    attach(element, insertionPlace(p));
    formatting[i] = opened(p, element, token, unclosed);
  }
}

/** Inserts an element and puts it on the list of active formatting elements. */
export function insertFormatting(p: Construction, token: Token.TagToken): void {
  pushFormatting(p.formatting, insertElement(p, token));
}

/** Closes the p element in scope, if there is one, for a start tag. */
export function closeParagraph(p: Construction, token: AnyToken): void {
  if (!p.open.hasInScope("p", "buttonScope")) return;
  const at = p.open.last("p");
  generateImpliedEndTags(p, "p");
  if (!isCurrent(p, "p")) fail(p, "implied-end-tag-with-open-elements", token, "p", at);
  popFrom(p, at);
}

/** Adds the attributes that an element does not have yet. */
export function addAttributes(p: Construction, element: Element, token: Token.TagToken): void {
  let known = p.knownAttributes.get(element);
  if (!known) {
    known = new Set(element.attrs.map(({ name }) => name));
    p.knownAttributes.set(element, known);
  }
  for (const attribute of token.attrs) {
    if (known.has(attribute.name)) continue;
    known.add(attribute.name);
    element.attrs.push(attribute);
    noteMove(p);
  }
}

const modesByElement: Readonly<Record<string, ModeName>> = {
  td: "inCell",
  th: "inCell",
  tr: "inRow",
  tbody: "inTableBody",
  thead: "inTableBody",
  tfoot: "inTableBody",
  caption: "inCaption",
  colgroup: "inColumnGroup",
  table: "inTable",
  head: "inHead",
  body: "inBody",
  frameset: "inFrameset",
};

/** @see HTML Standard, 13.2.4.1 The insertion mode */
export function resetMode(p: Construction): void {
  let at = 0;
  let mode: ModeName = p.head ? "afterHead" : "beforeHead";
  for (const [name, found] of Object.entries(modesByElement)) {
    const index = p.open.last(name);
    if (index > at) [at, mode] = [index, found];
  }
  if (p.open.last("template") > at) mode = p.templateModes.at(-1) ?? "inBody";
  p.mode = mode;
}
