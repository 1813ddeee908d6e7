/**
 * A tag as a person sees it: from a "<" with a name to the next ">" or "<", whatever quotes say. A parser that has lost a
 * quote takes half of a page for a value; its author sees the tags.
 */
export type Tag = {
  /** Offsets in the source. */
  start: number;
  /** After its ">", or where it would be. */
  end: number;
  /** In lower case. */
  name: string;
  isEnd: boolean;
  /** It ends with "/>". */
  isEmpty: boolean;
  /** There is no ">" before the next "<". */
  isOpen: boolean;
  /** Where what follows the name begins, and ends before "/>" or ">". */
  attributes: { start: number; end: number };
};

const TAG = /<(\/?)([a-zA-Z][\w:-]*)([^<>]*)(>?)/y;
const RAW = /^(?:script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)$/;

/** The tags of a source in HTML, without what looks like tags in comments and in the text of scripts and styles. */
export function readTags(source: string): Tag[] {
  const tags: Tag[] = [];
  /** Names of which no end tag follows: the rest of a source is looked through once for each. */
  const endless = new Set<string>();
  for (let at = source.indexOf("<"); at !== -1; at = source.indexOf("<", at)) {
    if (source.startsWith("<!--", at)) {
      at = after(source, "-->", at + 4);
      continue;
    }
    TAG.lastIndex = at;
    const found = TAG.exec(source);
    if (!found) {
      at++;
      continue;
    }
    const tag = tagOf(at, found);
    tags.push(tag);
    at = tag.isEnd || !RAW.test(tag.name) ? tag.end : endOfRaw(source, tag, endless);
  }
  return tags;
}

function tagOf(start: number, [whole, slash = "", written = "", rest = "", close = ""]: RegExpExecArray): Tag {
  const isEmpty = close !== "" && rest.endsWith("/");
  const from = start + 1 + slash.length + written.length;
  return {
    ...{
      start,
      end: start + whole.length,
      name: written.toLowerCase(),
      isEnd: slash !== "",
      isEmpty,
      isOpen: close === "",
    },
    attributes: { start: from, end: from + rest.length - (isEmpty ? 1 : 0) },
  };
}

/** Where the text of an element without markup ends. Without an end tag, its first line is all of it. */
function endOfRaw(source: string, { name, end }: Tag, endless: Set<string>): number {
  const close = new RegExp(`</${name}[\\s/>]`, "gi");
  close.lastIndex = end;
  const found = endless.has(name) ? null : close.exec(source);
  if (!found) endless.add(name);
  return found?.index ?? after(source, "\n", end);
}

function after(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from);
  return at === -1 ? source.length : at + text.length;
}

/** An attribute as it is written in a tag. */
export type WrittenAttribute = {
  start: number;
  end: number;
  name: string;
  value?: { start: number; end: number; quote: string };
};

/** Behind as many, a tag is not read: nobody has written them. */
const MAX_ATTRIBUTES = 1_000;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'=<>`]+)(?=\s|$))|(?=\s|$))/y;

/**
 * The attributes of a tag up to the first thing that is none.
 *
 * @returns where that is; undefined for a tag that is well-formed, or has more attributes than are read
 */
export function readAttributes(
  source: string,
  { attributes: range }: Tag,
): { attributes: WrittenAttribute[]; brokenAt?: number } {
  const text = source.slice(range.start, range.end);
  const attributes: WrittenAttribute[] = [];
  let at = 0;
  while (at < text.length && attributes.length < MAX_ATTRIBUTES) {
    const begin = at + text.slice(at).search(/\S|$/);
    if (begin >= text.length) break;
    ATTRIBUTE.lastIndex = begin;
    const found = ATTRIBUTE.exec(text);
    if (!found || begin === at) return { attributes, brokenAt: range.start + begin };
    const [whole, name = "", double, single, bare] = found;
    const value = double ?? single ?? bare;
    const quote = double === undefined ? (single === undefined ? "" : "'") : '"';
    at = begin + whole.length;
    const end = range.start + at;
    attributes.push({
      ...{ start: range.start + begin, end, name },
      ...(value !== undefined && {
        value: { start: end - quote.length - value.length, end: end - quote.length, quote },
      }),
    });
  }
  return { attributes };
}
