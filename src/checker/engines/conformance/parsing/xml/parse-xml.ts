import { defaultTreeAdapter as adapter, type html } from "parse5";
import { SaxesParser } from "saxes";
import { type Document, type Element, HTML, type Node, XLINK, XML } from "../../tree.ts";
import type { ParsedHtml } from "../parse-html.ts";
import { createCollector, type ParseProblem } from "../problem.ts";
import { createEntities, type Entities, EntityLimit } from "./xml-entities.ts";
import { createNamespaces, type Namespaces } from "./xml-namespaces.ts";
import { createLines, type Lines, scanAttributes } from "./xml-source.ts";

type ParentNode = Document | Element;

/** Ends the parse at the first error, as XML demands. */
class Stop extends Error {}

type State = {
  readonly source: string;
  readonly document: Document;
  readonly open: { element: Element; name: string; content: ParentNode }[];
  readonly namespaces: Namespaces;
  readonly lines: Lines;
  readonly report: (problem: ParseProblem) => void;
  entities: Entities;
  /** The element that was closed last, and where its end tag begins. */
  closed: { name: string; start: number; element: Element } | undefined;
  /** Where the markup before ended. */
  offset: number;
};

/**
 * Parses an XML document into a tree as parse5 makes it. It ends at the first error: what is not well-formed
 * is not a document.
 */
export function parseXml(source: string): ParsedHtml {
  const { problems, report } = createCollector();
  const s: State = {
    source,
    document: adapter.createDocument(),
    open: [],
    namespaces: createNamespaces(),
    lines: createLines(source),
    report,
    entities: createEntities(""),
    closed: undefined,
    offset: 0,
  };
  s.document.mode = "no-quirks" as Document["mode"];
  const parser = new SaxesParser({ position: true });
  connect(s, parser);
  try {
    parser.write(source).close();
  } catch (error) {
    if (error instanceof EntityLimit) {
      const end = Math.min(parser.position, source.length);
      report({ code: "entity-expansion-limit", start: Math.max(0, end - 1), end, name: error.message });
    } else if (!(error instanceof Stop)) throw error;
  }
  return {
    document: s.document,
    problems,
    metas: [],
    movedFrom: undefined,
    unended: unended(s),
  };
}

/** Elements that are open still, and one that another's end tag closed. */
function unended({ open, closed, source }: State): ReadonlySet<Element> {
  const found = new Set(open.map(({ element }) => element));
  if (closed && !source.startsWith(`</${closed.name}`, closed.start)) found.add(closed.element);
  return found;
}

/** A "&" that is not followed by a name and a semicolon. */
const BARE_AMPERSAND = /&(?![^\s&;<>"']{1,200};)/g;
const REFERENCE_NAME = /^[^\s&;<>"']+$/;

const MAX_QUOTE_LENGTH = 100;

type Stopper = (what: string, position?: number) => never;
type Parser = SaxesParser<{ position: true }>;

function connect(s: State, parser: Parser): void {
  const stop: Stopper = (what, position = parser.position) => {
    const end = Math.min(Math.max(position, 1), s.source.length);
    s.report({ code: "not-well-formed", start: Math.max(0, end - 1), end, name: what });
    throw new Stop(what);
  };
  parser.ENTITIES = new Proxy(
    {},
    { get: (_, name) => (typeof name === "string" ? resolveEntity(s, name, parser, stop) : undefined) },
  );
  parser.on("error", (error) => {
    // A "&" that begins no reference is read on to the end of the file.
    if (/unclosed tag|unexpected end/.test(error.message)) stopAtAmpersand(s, stop);
    const what = explain(s, error.message);
    stop(what, placeOf(s, what, parser.position));
  });
  parser.on("doctype", (text) => {
    s.entities = createEntities(text);
    s.offset = parser.position;
  });
  parser.on("xmldecl", () => {
    s.offset = parser.position;
  });
  parser.on("processinginstruction", ({ target }) => {
    const start = nextTag(s);
    s.offset = parser.position;
    if (target === "xml-stylesheet" && s.document.childNodes.some((node) => "tagName" in node))
      s.report({ code: "misplaced-xml-stylesheet", start, end: s.offset });
  });
  parser.on("comment", (data) => {
    const node = adapter.createCommentNode(data);
    node.sourceCodeLocation = s.lines.location(nextTag(s), parser.position);
    append(s, node);
    s.offset = parser.position;
  });
  parser.on("text", (text) => addText(s, text, nextTag(s)));
  parser.on("cdata", (text) => {
    addText(s, text, parser.position);
    s.offset = parser.position;
  });
  parser.on("opentag", (tag) => openElement(s, tag, parser.position, stop));
  parser.on("closetag", ({ isSelfClosing }) => closeElement(s, parser.position, isSelfClosing));
}

function nextTag({ source, offset }: State): number {
  const next = source.indexOf("<", offset);
  return next < 0 ? source.length : next;
}

function resolveEntity(s: State, name: string, parser: Parser, stop: Stopper): string {
  if (!REFERENCE_NAME.test(name)) stopAtAmpersand(s, stop);
  const entity = s.entities(name);
  if (entity === undefined) return stop(`the entity "${name}" is not declared`);
  const end = Math.min(parser.position, s.source.length);
  const place = { start: Math.max(0, end - name.length - 2), end, name };
  if (entity === "unread") {
    s.report({ code: "undeclared-entity", ...place });
    return "";
  }
  if (entity.hasMarkup) s.report({ code: "entity-with-markup", ...place });
  return entity.hasMarkup ? "" : entity.text;
}

/** Stops where a "&" begins no reference; the parser reads on to a semicolon, which may be far away. */
function stopAtAmpersand({ source, offset }: State, stop: Stopper): void {
  BARE_AMPERSAND.lastIndex = offset;
  const found = BARE_AMPERSAND.exec(source);
  const cdata = source.indexOf("<![CDATA[", offset);
  if (found && (cdata < 0 || found.index < cdata))
    stop('a "&" does not begin a reference; to show one, write "&amp;"', found.index + 1);
}

function explain(s: State, message: string): string {
  const what = message.replace(/^(?:[^:]*:)?\d+:\d+: /, "").replace(/\.$/, "");
  if (what !== "unexpected close tag" || !s.closed) return what;
  // The parser closes the element before it says that the tag is another's.
  const found = s.source.slice(s.closed.start, s.closed.start + MAX_QUOTE_LENGTH).split(/[\s>]/)[0];
  return `${found}> was found where </${s.closed.name}> should be`;
}

/** After the character that is wrong: the parser has read on, to what it can be sure by. */
function placeOf({ source, offset }: State, what: string, position: number): number {
  if (what.startsWith("text data outside")) return offset + (/\S/.exec(source.slice(offset, position))?.index ?? 0) + 1;
  if (what === "incorrect syntax") return Math.max(source.lastIndexOf("<!", position), offset) + 3;
  if (what.startsWith("disallowed character in attribute name"))
    return source.slice(0, position - 1).trimEnd().length + 1;
  return position;
}

function append(s: State, node: Node): void {
  const parent = s.open.at(-1)?.content ?? s.document;
  parent.childNodes.push(node);
  node.parentNode = parent;
}

function addText(s: State, text: string, end: number): void {
  const parent = s.open.at(-1)?.content;
  if (!parent || text === "") return;
  const last = parent.childNodes.at(-1);
  if (last?.nodeName === "#text" && "value" in last) {
    last.value += text;
    if (last.sourceCodeLocation) Object.assign(last.sourceCodeLocation, s.lines.end(end));
    return;
  }
  const node = adapter.createTextNode(text);
  node.sourceCodeLocation = s.lines.location(s.offset, end);
  append(s, node);
}

type Tag = { name: string; attributes: Readonly<Record<string, unknown>> };

function openElement(s: State, { name, attributes }: Tag, end: number, stop: Stopper): void {
  const start = nextTag(s);
  const found = scanAttributes(s.source, start + 1 + name.length, end).map((attribute) => ({
    ...attribute,
    value: String(attributes[attribute.name] ?? attribute.raw),
  }));
  const { namespaces } = s;
  namespaces.enter(found.filter(({ name: attribute }) => attribute === "xmlns" || attribute.startsWith("xmlns:")));
  const { prefix, local, uri } = namespaces.resolve(name, true);
  if (uri === undefined) {
    stop(`the prefix "${prefix}" of the element is not declared`);
    return;
  }

  const element = adapter.createElement(local, uri as html.NS, []);
  const startTag = s.lines.location(start, end);
  const attrs: Record<string, typeof startTag> = {};
  const names = new Set<string>();
  for (const { name: attribute, value, start: from, end: to } of found) {
    attrs[attribute] = s.lines.location(from, to);
    if (attribute === "xmlns" || attribute.startsWith("xmlns:")) continue;
    const resolved = namespaces.resolve(attribute, false);
    if (resolved.uri === undefined) {
      stop(`the prefix "${resolved.prefix}" of an attribute is not declared`);
      return;
    }
    if (names.has(`${resolved.uri} ${resolved.local}`)) {
      stop(`the attribute "${attribute}" is there twice`);
      return;
    }
    names.add(`${resolved.uri} ${resolved.local}`);
    element.attrs.push(attributeOf(resolved, value));
  }
  element.sourceCodeLocation = { ...startTag, startTag, attrs };
  append(s, element);
  const isTemplate = local === "template" && uri === HTML;
  if (isTemplate) adapter.setTemplateContent(element as never, adapter.createDocumentFragment());
  const content = isTemplate ? (element as unknown as { content: ParentNode }).content : element;
  s.open.push({ element, name, content });
  s.offset = end;
}

type Resolved = { prefix: string; local: string; uri?: string | undefined };

function attributeOf({ prefix, local, uri }: Resolved, value: string): Element["attrs"][number] {
  if (!uri) return { name: local, value };
  const usual = uri === XLINK ? "xlink" : prefix;
  return { name: local, value, namespace: uri, prefix: uri === XML ? "xml" : usual };
}

function closeElement(s: State, end: number, isSelfClosing: boolean): void {
  const entry = s.open.pop();
  s.namespaces.leave();
  if (!entry || isSelfClosing) return;
  const start = nextTag(s);
  s.closed = { name: entry.name, start, element: entry.element };
  const { sourceCodeLocation: at } = entry.element;
  if (at) Object.assign(at, { endTag: s.lines.location(start, end) }, s.lines.end(end));
  s.offset = end;
}
