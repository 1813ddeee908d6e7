import { defaultTreeAdapter as adapter } from "parse5";
import { SaxesParser } from "saxes";
import type { Document, Element } from "../../tree.ts";
import type { ParsedHtml } from "../parse-html.ts";
import { createCollector, type ParseProblem } from "../problem.ts";
import { createEntities, EntityLimit } from "./xml-entities.ts";
import { createNamespaces } from "./xml-namespaces.ts";
import { createLines } from "./xml-source.ts";
import { addText, append, closeElement, nextTag, openElement, type Stopper, type XmlState } from "./xml-tree.ts";

/** Ends the parse at the first error, as XML requires. */
class Stop extends Error {}

/**
 * Parses an XML document into a tree like parse5's. It ends at the first error: text that is not well-formed
 * is not a document.
 */
export function parseXml(source: string): ParsedHtml {
  const { problems, unlisted, report } = createCollector();
  const s: XmlState = {
    source,
    document: adapter.createDocument(),
    open: [],
    namespaces: createNamespaces(),
    lines: createLines(source),
    report,
    entities: createEntities(""),
    depth: 0,
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
  return { document: s.document, problems, unlisted, metas: [], movedFrom: undefined, unended: unended(s) };
}

/** Elements that are still open, and one that another's end tag closed. */
function unended({ open, closed, source }: XmlState): ReadonlySet<Element> {
  const found = new Set(open.map(({ element }) => element));
  if (closed && !source.startsWith(`</${closed.name}`, closed.start)) found.add(closed.element);
  return found;
}

/** A "&" that is not followed by a name and a semicolon. */
const BARE_AMPERSAND = /&(?![^\s&;<>"']{1,200};)/g;
const REFERENCE_NAME = /^[^\s&;<>"']+$/;

const MAX_QUOTE_LENGTH = 100;
/** How deep entities may be nested. */
const MAX_ENTITY_DEPTH = 20;

type Parser = SaxesParser<{ position: true }>;

function connect(s: XmlState, parser: Parser): void {
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
    // For a "&" that does not begin a reference, the parser reads on to the end of the file.
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

function resolveEntity(s: XmlState, name: string, parser: Parser, stop: Stopper): string {
  if (!REFERENCE_NAME.test(name)) stopAtAmpersand(s, stop);
  const entity = s.entities(name);
  if (entity === undefined) return stop(`the entity "${name}" is not declared`);
  const end = Math.min(parser.position, s.source.length);
  const place = { start: Math.max(0, end - name.length - 2), end, name };
  if (entity === "unread") {
    s.report({ code: "undeclared-entity", ...place });
    return "";
  }
  if (entity === "elsewhere") return "";
  if ("text" in entity) return entity.text;
  if (nextTag(s) < place.start) return stop(`the entity "${name}" contains "<", which is not allowed in an attribute`);
  parseEntity(s, name, entity.markup, place);
  return "";
}

/** Parses an entity's markup; its nodes have the place of the reference. */
function parseEntity(outer: XmlState, name: string, markup: string, place: { start: number; end: number }): void {
  if (outer.depth > MAX_ENTITY_DEPTH) throw new EntityLimit(name);
  const at = outer.lines.location(place.start, place.end);
  const { endLine, endCol, endOffset } = at;
  const s: XmlState = {
    ...outer,
    source: markup,
    lines: { location: () => at, end: () => ({ endLine, endCol, endOffset }) },
    report: (problem) =>
      outer.report({
        ...problem,
        ...place,
        ...(isSyntax(problem) && { name: `in the entity "${name}", ${problem.name}` }),
      }),
    depth: outer.depth + 1,
    closed: undefined,
    offset: 0,
  };
  const parser = new SaxesParser({ position: true, fragment: true });
  connect(s, parser);
  parser.write(markup).close();
}

function isSyntax({ code }: ParseProblem): boolean {
  return code === "not-well-formed";
}

/** Stops at a "&" that does not begin a reference; the parser would read on to a semicolon, perhaps far away. */
function stopAtAmpersand({ source, offset }: XmlState, stop: Stopper): void {
  BARE_AMPERSAND.lastIndex = offset;
  const found = BARE_AMPERSAND.exec(source);
  const cdata = source.indexOf("<![CDATA[", offset);
  if (found && (cdata < 0 || found.index < cdata))
    stop('a "&" does not begin a reference; to show one, write "&amp;"', found.index + 1);
}

function explain(s: XmlState, message: string): string {
  const what = message.replace(/^(?:[^:]*:)?\d+:\d+: /, "").replace(/\.$/, "");
  if (what !== "unexpected close tag" || !s.closed) return what;
  // The parser closes the element before it reports that the tag belongs to another one.
  const found = s.source.slice(s.closed.start, s.closed.start + MAX_QUOTE_LENGTH).split(/[\s>]/)[0];
  return `${found}> was found where </${s.closed.name}> should be`;
}

/** The place after the wrong character: the parser has read further, until it was sure. */
function placeOf({ source, offset }: XmlState, what: string, position: number): number {
  if (what.startsWith("text data outside")) return offset + (/\S/.exec(source.slice(offset, position))?.index ?? 0) + 1;
  if (what === "incorrect syntax") return Math.max(source.lastIndexOf("<!", position), offset) + 3;
  if (what.startsWith("disallowed character in attribute name"))
    return source.slice(0, position - 1).trimEnd().length + 1;
  return position;
}
