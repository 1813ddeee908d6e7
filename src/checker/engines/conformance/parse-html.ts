import { type DefaultTreeAdapterMap, Parser, type ParserError, Token } from "parse5";
import { type Document, type Element, HTML, isElement, type Node } from "./tree.ts";

/** Something that the standard calls a parse error, with the tag, text or element that it is about. */
export type ParseProblem = {
  /** parse5's code, which is the standard's where it has one, or one of those below. */
  code: string;
  /** Offsets in the source. */
  start: number;
  end: number;
  /** The tag or element that is meant, where there is one. */
  name?: string;
  /** Elements that were open although they should not have been. */
  open?: string[];
};

/** Elements whose end tag may be left out (HTML Standard, 13.1.2.4), and those that tables close by themselves. */
const implied = new Set(
  "dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr caption colgroup head body html".split(" "),
);
const formatting = new Set("a b big code em font i nobr s small strike strong tt u".split(" "));
const MORE_THAN_SPACE = /[^ \t\n\r\f]/;
const modes = {
  inTable: 8,
  inTableBody: 12,
  inRow: 13,
  inBody: 6,
  afterBody: 18,
  inFrameset: 19,
  afterFrameset: 20,
  afterAfterBody: 21,
  afterAfterFrameset: 22,
};

type ParentNode = DefaultTreeAdapterMap["parentNode"];

/**
 * Parses an HTML document, and names its parse errors: those of the tokenizer as parse5 reports them,
 * and those of tree construction, which it does not, seen by what each tag does to the open elements.
 *
 * @see HTML Standard, 13.2.6 Tree construction
 */
export function parseHtml(source: string): { document: Document; problems: ParseProblem[] } {
  const problems: ParseProblem[] = [];
  const onParseError = (error: ParserError): void => {
    problems.push({ code: error.code, start: error.startOffset, end: error.endOffset });
  };
  const parser = new WatchedParser(problems, onParseError);
  parser.tokenizer.write(source, true);
  return { document: parser.document, problems };
}

class WatchedParser extends Parser<DefaultTreeAdapterMap> {
  private pushed: string[] = [];
  private popped: Element[] = [];
  private created: string[] = [];
  private fostered = false;
  private readonly problems: ParseProblem[];

  constructor(problems: ParseProblem[], onParseError: (error: ParserError) => void) {
    super({ sourceCodeLocationInfo: true, scriptingEnabled: false, onParseError });
    this.problems = problems;
  }

  override onItemPush(node: ParentNode, id: number, isTop: boolean): void {
    if (isElement(node as Node)) this.pushed.push((node as Element).tagName);
    super.onItemPush(node, id, isTop);
  }

  override onItemPop(node: ParentNode, isTop: boolean): void {
    if (isElement(node as Node)) this.popped.push(node as Element);
    super.onItemPop(node, isTop);
  }

  override _createElement(...args: Parameters<Parser<DefaultTreeAdapterMap>["_createElement"]>): Element {
    this.created.push(args[0]);
    return super._createElement(...args);
  }

  override _findFosterParentingLocation(): ReturnType<Parser<DefaultTreeAdapterMap>["_findFosterParentingLocation"]> {
    this.fostered = true;
    return super._findFosterParentingLocation();
  }

  override onStartTag(token: Token.TagToken): void {
    const mode: number = this.insertionMode;
    this.reset();
    super.onStartTag(token);
    const name = token.tagName;
    const late = mode === modes.afterBody || mode === modes.afterAfterBody;
    if (late && name !== "html") this.report("stray-start-tag", token, name);
    else if (!this.created.includes(name) && name !== "image") this.report("start-tag-ignored", token, name);
    else if (name === "image" && this.currentNotInHTML === false) this.report("image-instead-of-img", token, name);
    else if (this.fostered) this.report("start-tag-in-table", token, name);
    else if ((name === "td" || name === "th") && this.pushed.includes("tr"))
      this.report("cell-outside-row", token, name);
    else if (name === "input" && mode === modes.inTable) this.report("start-tag-in-table", token, name);
    this.reportUnclosed("start-tag-with-open-elements", token, name);
  }

  override onEndTag(token: Token.TagToken): void {
    const mode: number = this.insertionMode;
    const { tagName: name } = token;
    const open = name === "body" || name === "html" ? this.openBelowBody() : [];
    const current = this.openElements.current;
    this.reset();
    super.onEndTag(token);
    const moved: boolean = mode !== this.insertionMode;
    if (open.length > 0 && moved) {
      this.report("end-tag-with-open-elements", token, name, open);
      return;
    }
    if (name === "br" && this.created.length > 0) this.report("end-tag-br", token, name);
    else if (name === "p" && this.pushed.includes("p")) this.report("stray-end-tag", token, name);
    else if (this.popped.length === 0 && !moved) this.report("stray-end-tag", token, name);
    else if (formatting.has(name) && (this.pushed.length > 0 || !closes(current, name)))
      this.report("end-tag-violates-nesting", token, name);
    else if (!formatting.has(name)) this.reportUnclosed("end-tag-with-open-elements", token, name);
  }

  override onCharacter(token: Token.CharacterToken): void {
    const mode: number = this.insertionMode;
    this.reset();
    super.onCharacter(token);
    if (!MORE_THAN_SPACE.test(token.chars)) return;
    if (mode === modes.afterBody || mode === modes.afterAfterBody) this.report("text-after-body", token);
    else if (mode === modes.inFrameset || mode === modes.afterFrameset || mode === modes.afterAfterFrameset)
      this.report("text-in-frameset", token);
    else if (this.popped.some(({ tagName }) => tagName === "colgroup")) this.report("text-in-table", token);
    else if (mode === modes.inTable || mode === modes.inTableBody || mode === modes.inRow)
      this.report("text-in-table", token);
  }

  override onEof(token: Token.EOFToken): void {
    const mode: number = this.insertionMode;
    const open = mode === modes.afterBody || mode === modes.afterAfterBody ? [] : this.openBelowBody();
    super.onEof(token);
    if (open.length > 0) this.report("end-of-file-with-open-elements", token, undefined, open);
  }

  private reset(): void {
    this.pushed = [];
    this.popped = [];
    this.created = [];
    this.fostered = false;
  }

  /** Elements that were closed with others still open in them, whose end tags may not be left out. */
  private reportUnclosed(code: string, token: Token.TagToken, name: string): void {
    const last = this.popped.at(-1);
    const open = this.popped.filter((element) => !implied.has(element.tagName) && !isClosedBy(element, token, last));
    if (open.length === 0) return;
    this.report(code, token, name, open);
  }

  private openBelowBody(): Element[] {
    return this.openElements.items
      .slice(0, this.openElements.stackTop + 1)
      .filter((node): node is Element => isElement(node as Node) && !implied.has((node as Element).tagName));
  }

  private report(code: string, token: Token.Token, name?: string, open: readonly Element[] = []): void {
    const { startOffset: start = 0, endOffset: end = start } = token.location ?? {};
    this.problems.push({ code, start, end, ...(name !== undefined && { name }), open: open.map((e) => e.tagName) });
    for (const element of open) {
      const at = element.sourceCodeLocation?.startTag ?? element.sourceCodeLocation;
      if (at)
        this.problems.push({
          code: "unclosed-element",
          start: at.startOffset,
          end: at.endOffset,
          name: element.tagName,
        });
    }
  }
}

/** The element that an end tag is for, a void element, or one that a start tag replaces itself. */
function isClosedBy(element: Element, token: Token.TagToken, last: Element | undefined): boolean {
  if (token.type !== Token.TokenType.END_TAG) return isVoid(element, token);
  return element === last && closes(element, token.tagName);
}

function isVoid(element: Element, token: Token.TagToken): boolean {
  return token.selfClosing && element.namespaceURI !== HTML && element.tagName === token.tagName;
}

function closes(node: ParentNode | undefined, name: string): boolean {
  return node !== undefined && "tagName" in node && node.tagName.toLowerCase() === name;
}
