import { defaultTreeAdapter as adapter, type html } from "parse5";
import { type Document, type Element, HTML, type Node, XLINK, XML } from "../../tree.ts";
import type { ParseProblem } from "../problem.ts";
import type { Entities } from "./xml-entities.ts";
import { isDeclaration, type Namespaces, namespaceProblem } from "./xml-namespaces.ts";
import { type Lines, scanAttributes } from "./xml-source.ts";

type ParentNode = Document | Element;

/** The state of the XML parser. An entity's markup is parsed with a state of its own, into the same tree. */
export type XmlState = {
  readonly source: string;
  readonly document: Document;
  readonly open: { element: Element; name: string; content: ParentNode }[];
  readonly namespaces: Namespaces;
  readonly lines: Lines;
  readonly report: (problem: ParseProblem) => void;
  entities: Entities;
  /** The number of entities around this. */
  readonly depth: number;
  /** The element that was closed last, and where its end tag begins. */
  closed: { name: string; start: number; element: Element } | undefined;
  /** Where the previous markup ended. */
  offset: number;
};

/** Ends the parse; `position` is where the fault ends. */
export type Stopper = (what: string, position?: number) => never;

/** Where the next markup begins. */
export function nextTag({ source, offset }: XmlState): number {
  const next = source.indexOf("<", offset);
  return next < 0 ? source.length : next;
}

export function append(s: XmlState, node: Node): void {
  const parent = s.open.at(-1)?.content ?? s.document;
  parent.childNodes.push(node);
  node.parentNode = parent;
}

export function addText(s: XmlState, text: string, end: number): void {
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

export function openElement(s: XmlState, { name, attributes }: Tag, end: number, stop: Stopper): void {
  const start = nextTag(s);
  const found = scanAttributes(s.source, start + 1 + name.length, end).map((attribute) => ({
    ...attribute,
    value: String(attributes[attribute.name] ?? attribute.raw),
  }));
  const { namespaces } = s;
  for (const declaration of found.filter(isDeclaration)) {
    const problem = namespaceProblem(declaration);
    if (problem?.isFatal) stop(problem.what);
    if (problem) s.report({ code: problem.what, start, end, name: declaration.name });
  }
  namespaces.enter(found.filter(isDeclaration));
  if (name.startsWith(":") || found.some((attribute) => attribute.name.startsWith(":")))
    stop("a name begins with a colon, before which a prefix must be");
  const { prefix, local, uri } = namespaces.resolve(name, true);
  if (uri === undefined) {
    stop(`the prefix "${prefix}" of the element is not declared`);
    return;
  }

  const element = adapter.createElement(local, uri as html.NS, []);
  const startTag = s.lines.location(start, end);
  const attrs: Record<string, typeof startTag> = Object.create(null);
  const names = new Set<string>();
  for (const { name: attribute, value, start: from, end: to } of found) {
    attrs[attribute] = s.lines.location(from, to);
    if (isDeclaration({ name: attribute })) continue;
    const resolved = namespaces.resolve(attribute, false);
    if (resolved.uri === undefined) {
      stop(`the prefix "${resolved.prefix}" of an attribute is not declared`);
      return;
    }
    if (names.has(`${resolved.uri} ${resolved.local}`)) {
      stop(`the attribute "${attribute}" occurs twice`);
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

export function closeElement(s: XmlState, end: number, isSelfClosing: boolean): void {
  const entry = s.open.pop();
  s.namespaces.leave();
  if (!entry || isSelfClosing) return;
  const start = nextTag(s);
  s.closed = { name: entry.name, start, element: entry.element };
  const { sourceCodeLocation: at } = entry.element;
  if (at) Object.assign(at, { endTag: s.lines.location(start, end) }, s.lines.end(end));
  s.offset = end;
}
