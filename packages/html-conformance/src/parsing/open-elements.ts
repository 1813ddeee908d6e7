import type { Token } from "parse5";
import { type Element, HTML, SVG } from "../tree.ts";

/** An entry of the stack of open elements. */
export type OpenElement = {
  readonly element: Element;
  /** The tag name of an HTML element; "svg:" or "math:" and the name of any other. */
  readonly key: string;
  readonly isHtml: boolean;
  /** The start tag that created it; undefined if the parser implied it. */
  readonly token: Token.TagToken | undefined;
  /** Its place in the stack; -1 when it is not there. */
  index: number;
  /** Whether its start tag has been reported as unclosed; copies of it share that. */
  readonly unclosed: { reported: boolean };
  /** For each category of elements: the index of the nearest one of it, from here down to the root. */
  nearest: Readonly<Nearest>;
  /** The index of the nearest HTML element, from here down to the root. */
  nearestHtml: number;
  /** How many elements there are from here down to the root that need an end tag. */
  needingEndTag: number;
};

/** Categories of elements that end a search through the stack. */
type Nearest = {
  scope: number;
  listItemScope: number;
  buttonScope: number;
  tableScope: number;
  special: number;
  /** Special, and not an address, div or p element. */
  specialBlock: number;
};
export type Category = keyof Nearest;

const words = (text: string): Set<string> => new Set(text.split(" "));

const scope = words(
  "applet caption html table td th marquee object select template math:mi math:mo math:mn math:ms math:mtext math:annotation-xml svg:foreignObject svg:desc svg:title",
);
const tableScope = words("html table template");
const special = words(
  "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp math:mi math:mo math:mn math:ms math:mtext math:annotation-xml svg:foreignObject svg:desc svg:title",
);
const blocks = words("address div p");
/** Elements that may be open at the end of the body: their end tags may be left out. */
const withoutEndTag = words("dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr head body html");
const noElement: Nearest = {
  scope: -1,
  listItemScope: -1,
  buttonScope: -1,
  tableScope: -1,
  special: -1,
  specialBlock: -1,
};

/** True for an element whose end tag may be left out. */
export function hasOptionalEndTag(key: string): boolean {
  return withoutEndTag.has(key);
}

/** The key of this element's stack entry. */
export function keyOf({ namespaceURI, tagName }: Element): string {
  if (namespaceURI === HTML) return tagName;
  return (namespaceURI === SVG ? "svg:" : "math:") + tagName;
}

export function isSpecial(key: string): boolean {
  return special.has(key);
}

export type OpenElements = ReturnType<typeof createOpenElements>;

/**
 * The stack of open elements. Each entry knows the nearest element of every category below it, and there is an index by
 * name, so that queries do not take longer when the stack is deep.
 *
 * @see HTML Standard, 13.2.4.2 The stack of open elements
 */
export function createOpenElements() {
  const items: OpenElement[] = [];
  const places = new Map<string, number[]>();

  const place = (entry: OpenElement, index: number): void => {
    const below = items[index - 1];
    entry.index = index;
    items[index] = entry;
    const { key } = entry;
    // Every element that bounds a scope is special.
    entry.nearest = special.has(key) ? nearestFrom(key, index, below?.nearest) : (below?.nearest ?? noElement);
    entry.nearestHtml = entry.isHtml ? index : (below?.nearestHtml ?? -1);
    entry.needingEndTag = (below?.needingEndTag ?? 0) + (withoutEndTag.has(key) ? 0 : 1);
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  };
  const lift = (): OpenElement | undefined => {
    const entry = items.pop();
    if (entry) {
      entry.index = -1;
      places.get(entry.key)?.pop();
    }
    return entry;
  };
  /** Changes the stack from an index up. @returns how many entries that affected */
  const rebuild = (from: number, change: (above: OpenElement[]) => void): number => {
    const above: OpenElement[] = [];
    while (items.length > from) above.push(lift() as OpenElement);
    above.reverse();
    const touched = above.length;
    change(above);
    for (const entry of above) place(entry, items.length);
    return touched;
  };
  const nearest = (category: Category): number => items.at(-1)?.nearest[category] ?? -1;
  const last = (key: string): number => places.get(key)?.at(-1) ?? -1;

  return {
    items: items as readonly OpenElement[],
    current: (): OpenElement | undefined => items[items.length - 1],
    push(element: Element, token: Token.TagToken | undefined, unclosed = { reported: false }): OpenElement {
      const key = keyOf(element);
      const isHtml = element.namespaceURI === HTML;
      const entry: OpenElement = {
        element,
        key,
        isHtml,
        token,
        unclosed,
        index: -1,
        nearest: noElement,
        nearestHtml: -1,
        needingEndTag: 0,
      };
      place(entry, items.length);
      return entry;
    },
    pop: lift,
    /** The index of the last element of this name, or -1. */
    last,
    nearest,
    /** True when there is an element of this name above the nearest element that bounds the scope. */
    hasInScope: (key: string, category: Category = "scope"): boolean => {
      const at = last(key);
      return at >= 0 && at >= nearest(category);
    },
    has: (key: string): boolean => last(key) >= 0,
    remove: (entry: OpenElement): number => (entry.index < 0 ? 0 : rebuild(entry.index, (above) => above.shift())),
    rebuild,
  };
}

function nearestFrom(key: string, index: number, below: Readonly<Nearest> = noElement): Nearest {
  const isScope = scope.has(key);
  return {
    scope: isScope ? index : below.scope,
    listItemScope: isScope || key === "ol" || key === "ul" ? index : below.listItemScope,
    buttonScope: isScope || key === "button" ? index : below.buttonScope,
    tableScope: tableScope.has(key) ? index : below.tableScope,
    special: index,
    specialBlock: blocks.has(key) ? below.specialBlock : index,
  };
}
