import { lastNotAfter } from "../last-not-after.ts";
import { near } from "../messages/near.ts";
import { VOID } from "../tree.ts";
import type { Edit, FixKind } from "./edits.ts";
import { readAttributes, type Tag, type WrittenAttribute } from "./markup.ts";
import type { Markup } from "./read-markup.ts";
import { mayBeElement, namesAtBeginning, type Unclosed } from "./structure.ts";

/** What one mistake may have been, and how it is undone. */
export type Candidate = {
  edits: readonly Edit[];
  /** By which the message about it is chosen. */
  kind: FixKind;
  /** The lower, the likelier. */
  cost: number;
};

/** A suspicious part of a source, and what is said there. */
export type Spot = { start: number; end: number; rule: string };

/** As many tags around a suspicious part, and elements that are not closed, are looked at. */
const MAX_TAGS = 4;
const MAX_UNCLOSED = 6;
/** As many tags behind one are looked through for others of its name. */
const MAX_WITHIN = 500;
/** As far as this, in characters, it is looked for lines that are indented as one is. */
const FAR = 30_000;
const MAX_INDENT = 200;
/** References that people write. */
const REFERENCES = (
  "amp lt gt quot apos nbsp copy reg trade hellip mdash ndash lsquo rsquo sbquo ldquo rdquo bdquo laquo raquo lsaquo rsaquo bull " +
  "middot times divide minus plusmn deg micro para sect euro pound yen cent larr uarr rarr darr harr infin ne le ge asymp sum prod radic " +
  "frac12 frac14 frac34 sup1 sup2 sup3 ordm ordf iexcl iquest shy ensp emsp thinsp zwnj zwj dagger permil check hearts " +
  "auml ouml uuml Auml Ouml Uuml szlig eacute egrave ecirc euml agrave aacute acirc atilde aring aelig ccedil igrave iacute icirc iuml " +
  "ntilde ograve oacute ocirc otilde oslash ugrave uacute ucirc yacute Eacute Egrave Agrave Aring Oslash Ccedil Ntilde alpha beta gamma " +
  "delta epsilon lambda mu pi sigma omega Delta Omega Sigma"
).split(" ");

const put = (at: number, text: string): Edit => ({ start: at, end: at, text });
const take = (start: number, end: number): Edit => ({ start, end, text: "" });

/** What may have happened around a spot, the likeliest first. */
export function candidatesAt(markup: Markup, spot: Spot): Candidate[] {
  const { source, structure } = markup;
  const ends = structure.unclosed.filter(({ tag }) => tag.start === spot.start).flatMap(({ endedBy }) => endedBy ?? []);
  const around = [...new Set([spot, ...ends].flatMap((one: Pick<Spot, "start" | "end">) => tagsAround(markup, one)))];
  const all = [
    ...around.flatMap((tag) => inTag(source, tag)),
    ...duplicates(markup, around),
    ...swapped(markup, around),
    ...notClosed(markup, spot),
    ...notOpened(markup, spot),
    ...references(source, spot),
    ...comments(markup, spot),
    ...doctypes(source, spot),
  ];
  const seen = new Set<string>();
  return all
    .toSorted((a, b) => a.cost - b.cost)
    .filter(({ edits }) => {
      const key = JSON.stringify(edits);
      return !seen.has(key) && seen.add(key);
    });
}

/** The tags in a spot, its first and its last ones, and one before and behind it. */
function tagsAround({ tags, indexFrom }: Markup, { start, end }: Pick<Spot, "start" | "end">): Tag[] {
  const last = indexFrom(start + 1) - 1;
  const inside = (tags[last]?.end ?? 0) > start ? last : last + 1;
  const [from, to] = [Math.max(0, inside - 1), indexFrom(end) + 1];
  if (to - from <= 2 * MAX_TAGS) return tags.slice(from, to);
  return [...tags.slice(from, from + MAX_TAGS), ...tags.slice(Math.min(to, tags.length) - MAX_TAGS, to)];
}

/** Quotes, white space, "=" and ">" that are missing in a tag, or too many. */
function inTag(source: string, tag: Tag): Candidate[] {
  const { attributes, brokenAt } = readAttributes(source, tag);
  const curly = /=\s*[“”„‘’]([^“”„‘’<>]*)[“”‘’]/.exec(source.slice(tag.attributes.start, tag.attributes.end));
  const isTorn = tag.isEnd && (tag.isOpen || attributes.length > 0 || brokenAt !== undefined);
  return [
    ...(tag.isEmpty && !tag.isEnd && !VOID.has(tag.name)
      ? [change("end tag", 0.9, { start: tag.end - 2, end: tag.end, text: `></${tag.name}>` })]
      : []),
    ...(mayBeElement(tag.name) ? [] : tornNames(tag)),
    ...(curly ? [straightened(tag.attributes.start + curly.index + curly[0].length - 1, (curly[1] ?? "").length)] : []),
    ...(isTorn ? [change("tag", 1, put(tag.attributes.start, ">"))] : []),
    ...(tag.isOpen && !tag.isEnd ? missingEnd(source, tag, attributes) : []),
    ...(brokenAt === undefined || tag.isEnd ? [] : broken(source, tag, attributes, brokenAt)),
  ];
}

function change(kind: Candidate["kind"], cost: number, ...edits: Edit[]): Candidate {
  return { kind, cost, edits };
}

/** A name that goes on with what should stand behind the tag, or be its first attribute. */
function tornNames({ name, isEnd, isOpen, attributes: { start } }: Tag): Candidate[] {
  const unlikely = isEnd && !isOpen ? 1.3 : 0;
  return namesAtBeginning(name)
    .slice(0, 3)
    .flatMap(({ length }) => {
      const at = start - name.length + length;
      return [
        change("tag", 0.9 + unlikely - length / 50, put(at, ">")),
        ...(isEnd ? [] : [change("tag", 1.2, put(at, " "))]),
      ];
    });
}

/** Where the ">" of a start tag may be missing: at the end of its line, before the next tag, behind each attribute. */
function missingEnd(
  source: string,
  { attributes: { start, end } }: Tag,
  attributes: readonly WrittenAttribute[],
): Candidate[] {
  const text = source.slice(start, end);
  const line = text.indexOf("\n");
  const endOf = (part: string): Edit => put(start + part.trimEnd().length, ">");
  return [
    change("tag", 1, endOf(text)),
    ...(line < 0 ? [] : [change("tag", 0.9, endOf(text.slice(0, line)))]),
    ...attributes.map(({ end: at }, index) => change("tag", 1.1 + (attributes.length - index) / 50, put(at, ">"))),
    change("tag", 2, put(start, ">")),
  ];
}

/** What may be wrong where a tag stops to be attributes. */
function broken(
  source: string,
  { attributes: { end } }: Tag,
  attributes: readonly WrittenAttribute[],
  at: number,
): Candidate[] {
  const text = source.slice(at, end);
  const previous = attributes.at(-1);
  const swallowed = previous?.value && NEXT_ATTRIBUTE.exec(source.slice(previous.value.start, previous.value.end));
  const bare = /^([^\s"'<>/=]+\s*=\s*)[^\s"'=<>`][^"'<>]*?(["'])/.exec(text);
  const noSign = /^([^\s"'<>/=]+)(["'])/.exec(text);
  const opened = /^[^\s"'<>/=]+\s*=\s*(["'])/.exec(text);
  return [
    ...(previous?.end === at ? [change("quote", 1.3, put(at, " "))] : []),
    ...(opened ? quotes(source, at + opened[0].length, end, opened[1] ?? '"') : []),
    ...(bare ? [change("quote", 1, put(at + (bare[1] ?? "").length, bare[2] ?? '"'))] : []),
    ...(noSign ? [change("attribute", 1, put(at + (noSign[1] ?? "").length, "="))] : []),
    ...(/^["']/.test(text) ? [change("quote", 1, take(at, at + 1))] : []),
    // Its closing quote was taken for that of a longer value.
    ...(previous?.value && swallowed
      ? [change("quote", 1, put(previous.value.start + swallowed.index, previous.value.quote))]
      : []),
  ];
}

/** The name of another attribute in a value, and at its end. White space is looked at once, however much there is. */
const NEXT_ATTRIBUTES = /(?<!\s)\s+[a-zA-Z][\w:-]*=/g;
const NEXT_ATTRIBUTE = /(?<!\s)\s+[a-zA-Z][\w:-]*=$/;

/** Where the quote is that ends a value: before the next attribute, at the end of the tag, or as another sign. */
function quotes(source: string, from: number, end: number, quote: string): Candidate[] {
  const value = source.slice(from, end);
  const close = value.indexOf(quote);
  const other = value.search(quote === '"' ? /'(?=[\s/]|$)/ : /"(?=[\s/]|$)/);
  const behind = from + close + 1;
  return [
    ...[...value.matchAll(NEXT_ATTRIBUTES)].map(({ index }) => change("quote", 1, put(from + index, quote))),
    change("quote", close === -1 ? 1 : 1.4, put(from + value.trimEnd().length, quote)),
    ...(close === -1 ? [] : [change("quote", 1.2, put(behind, " "))]),
    ...(close !== -1 && /["']/.test(source.charAt(behind)) ? [change("quote", 0.9, take(behind, behind + 1))] : []),
    ...(other === -1 ? [] : [change("quote", 1.1, { start: from + other, end: from + other + 1, text: quote })]),
  ];
}

function straightened(last: number, length: number): Candidate {
  const first = last - length - 1;
  return change("quote", 0.8, { start: first, end: first + 1, text: '"' }, { start: last, end: last + 1, text: '"' });
}

/** An attribute or a tag that is there twice. */
function duplicates({ source, tags, indexFrom }: Markup, around: readonly Tag[]): Candidate[] {
  return around.flatMap((tag): Candidate[] => {
    const [previous, next] = [tags[indexFrom(tag.start) - 1], tags[indexFrom(tag.end)]];
    const isTwice =
      next !== undefined &&
      next.start === tag.end &&
      source.slice(tag.start, tag.end) === source.slice(next.start, next.end);
    const isAgain =
      !tag.isEnd &&
      tag.attributes.start === tag.attributes.end &&
      previous?.isEnd === false &&
      previous.name === tag.name &&
      !VOID.has(tag.name);
    return [
      ...(isAgain ? [change("end tag", 0.8, put(tag.start + 1, "/"))] : []),
      ...(isTwice ? [change(tag.isEnd ? "end tag" : "start tag", 0.6, take(next.start, next.end))] : []),
      ...sameAttributes(source, tag),
    ];
  });
}

function sameAttributes(source: string, tag: Tag): Candidate[] {
  const names = new Set<string>();
  return readAttributes(source, tag).attributes.flatMap(({ start, end, name: written }): Candidate[] => {
    const name = written.toLowerCase();
    if (!names.has(name)) {
      names.add(name);
      return [];
    }
    return [change("attribute", 0.5, take(withoutSpace(source, tag.start, start), end))];
  });
}

/** Two end tags in the wrong order. */
function swapped({ source, tags, indexFrom }: Markup, around: readonly Tag[]): Candidate[] {
  return around.flatMap((tag): Candidate[] => {
    const next = tags[indexFrom(tag.end)];
    if (!tag.isEnd || !next?.isEnd || next.name === tag.name) return [];
    const between = source.slice(tag.end, next.start);
    if (between.trim() !== "") return [];
    const text = source.slice(next.start, next.end) + between + source.slice(tag.start, tag.end);
    return [change("end tag", 0.7, { start: tag.start, end: next.end, text })];
  });
}

/** End tags that are missing, lack their "/", or have another name. */
function notClosed(markup: Markup, spot: Spot): Candidate[] {
  const { source, structure } = markup;
  const some: Unclosed[] = [];
  for (const one of structure.unclosed) if (isNear(source, one, spot) && some.push(one) === MAX_UNCLOSED) break;
  return some.flatMap(({ tag, endedBy, parent }): Candidate[] => {
    const end = `</${tag.name}>`;
    const limit = endedBy?.start ?? source.length;
    const isClosing = parent?.tag.name === tag.name && tag.attributes.start === tag.attributes.end;
    const within = likeIn(markup, tag, limit);
    const plain = within.filter(({ attributes }) => attributes.start === attributes.end);
    const between = within.slice(0, -1).flatMap((other, index) => {
      const next = within[index + 1] as Tag;
      return indentOf(source, other) === indentOf(source, next) ? [withoutSpace(source, other.end, next.start)] : [];
    });
    const wrong = structure.stray[lastNotAfter(structure.stray, ({ start }) => start, tag.end) + 1];
    return [
      ...(isClosing ? [change("end tag", 0.8, put(tag.start + 1, "/"))] : []),
      ...plain.slice(0, MAX_TAGS).map((other) => change("end tag", 0.95, put(other.start + 1, "/"))),
      ...between.slice(0, MAX_TAGS).map((at) => change("end tag", 2.05, put(at, end))),
      ...(wrong && wrong.start < limit
        ? [
            change("end tag", near(wrong.name, [tag.name]) ? 0.7 : 2.4, {
              ...{ start: wrong.start, end: wrong.end, text: end },
            }),
          ]
        : []),
      ...placesForEnd(markup, tag, endedBy).map((at, index) =>
        change("end tag", 2 + index / 10, endTagAt(markup, tag, at, end)),
      ),
    ];
  });
}

/** Whether an element without an end tag is around a spot, ended by what is there, or in the element that begins there. */
function isNear(source: string, { tag, endedBy, parent }: Unclosed, spot: Spot): boolean {
  if (!mayBeElement(tag.name)) return false;
  if (tag.start <= spot.end && (endedBy?.end ?? source.length) >= spot.start) return true;
  if (endedBy?.start === spot.start) return true;
  let around = parent;
  while (around && around.tag.start > spot.start) around = around.parent;
  return around?.tag.start === spot.start;
}

/** The start tags of the same name behind one, up to `limit`. */
function likeIn({ tags, indexFrom }: Markup, { name, end }: Tag, limit: number): Tag[] {
  const from = indexFrom(end);
  return tags.slice(from, from + MAX_WITHIN).filter((one) => !one.isEnd && one.name === name && one.end <= limit);
}

/** An end tag is on a line of its own if the start tag is: on an empty one that is there, or on a new one. */
function endTagAt({ source, lineAt }: Markup, tag: Tag, at: number, text: string): Edit {
  const line = lineAt(tag.start);
  const isAlone = source.slice(line.start, tag.start).trim() === "" && source.slice(tag.end, line.end).trim() === "";
  const rest = lineAt(at);
  if (!isAlone || source.slice(at, rest.end).trim() !== "") return put(at, text);
  const next = lineAt(rest.end + 1);
  if (rest.end < source.length && source.slice(next.start, next.end).trim() === "") return put(next.end, text);
  return put(at, `\n${source.slice(line.start, tag.start)}${text}`);
}

/** Where an element may end: at the end of its line, before a line that is indented like it, before the tag that ends it. */
function placesForEnd(markup: Markup, tag: Tag, endedBy: Tag | undefined): number[] {
  const { source, tags, indexFrom, lineAt } = markup;
  const limit = endedBy?.start ?? source.length;
  const line = lineAt(tag.start);
  const isFirst = source.slice(line.start, tag.start).trim() === "";
  const lineEnd = Math.min(limit, line.start + source.slice(line.start, line.end).trimEnd().length);
  const hasMore = source.slice(tag.end, lineEnd).trim() !== "";
  const deeper = line.end + Math.max(0, source.slice(line.end, line.end + 2_000).search(/\S/));
  const isIndented = deeper - lineAt(deeper).start > tag.start - line.start;
  const dedent = isFirst && isIndented ? lineBack(markup, line.end, limit, tag.start - line.start) : undefined;
  const [next] = likeIn(markup, tag, limit);
  const first = indexFrom(tag.end);
  const behind = tags.slice(first, first + 6).filter(({ start }) => start <= limit);
  const child = endOfChild(tags, first);
  return [
    ...(endedBy && limit <= line.end ? [limit] : []),
    ...(hasMore ? [lineEnd] : []),
    ...(dedent === undefined ? [] : [dedent]),
    ...(next ? [withoutSpace(source, tag.end, next.start)] : []),
    ...(child !== undefined && child <= limit ? [child] : []),
    withoutSpace(source, tag.end, limit),
    limit,
    ...behind.flatMap(({ start, end }) => [end, start]),
  ];
}

/** Where the element that a tag begins ends. */
function endOfChild(tags: readonly Tag[], first: number): number | undefined {
  let depth = 0;
  for (const one of tags.slice(first, first + 200)) {
    if (one.isEnd) depth--;
    else if (!VOID.has(one.name) && !one.isEmpty) depth++;
    if (depth <= 0) return depth === 0 ? one.end : undefined;
  }
  return undefined;
}

/** Start tags that are missing, or end tags that are too many. */
function notOpened(markup: Markup, spot: Spot): Candidate[] {
  const { stray } = markup.structure;
  const first = lastNotAfter(stray, ({ end }) => end, spot.start - 1) + 1;
  const some = stray.slice(first, first + 3).filter(({ start }) => start <= spot.end);
  // A parser closes paragraphs by itself: their end tags may be stray although a start tag is there.
  const here = markup.tagAt(spot.start);
  const other = here?.isEnd && !some.includes(here) ? [here] : [];
  return [...some, ...other]
    .slice(0, 3)
    .flatMap((tag): Candidate[] => [
      ...placesForStart(markup, tag).map((at, index) =>
        change("start tag", 2.1 + index / 10, put(at, `<${tag.name}>`)),
      ),
      change("end tag", 2.7, take(tag.start, tag.end)),
    ]);
}

function placesForStart(markup: Markup, tag: Tag): number[] {
  const { source, tags, indexFrom, lineAt } = markup;
  const line = lineAt(tag.start);
  const index = indexFrom(tag.start);
  const before = tags[index - 1];
  const text = before ? before.end + spaceIn(source, before.end, tag.start) : line.start;
  const indentation = line.start + spaceIn(source, line.start, tag.start);
  const pair = startOfSiblings(tags, index);
  const isFirst = indentation === tag.start;
  const outdented = isFirst ? lineForward(source, line.start, tag.start - line.start) : undefined;
  return [
    ...(text < tag.start ? [text] : []),
    ...(indentation < tag.start ? [indentation] : []),
    ...(outdented === undefined ? [] : [outdented]),
    ...(pair === undefined ? [] : [pair]),
  ];
}

/** How many characters of white space a part begins with. */
function spaceIn(source: string, from: number, to: number): number {
  const part = source.slice(from, to);
  return part.length - part.trimStart().length;
}

/** Where the elements begin that stand before a tag, behind the start tag of what they are in. */
function startOfSiblings(tags: readonly Tag[], index: number): number | undefined {
  let depth = 0;
  for (let at = index - 1; at >= 0 && at > index - 200; at--) {
    const one = tags[at] as Tag;
    if (one.isEnd) depth++;
    else if (depth > 0) depth--;
    else return (tags[at + 1]?.start ?? one.end) < (tags[index]?.start ?? 0) ? tags[at + 1]?.start : one.end;
  }
  return undefined;
}

/** References without ";", or with a name that there is not. */
function references(source: string, { start, rule }: Spot): Candidate[] {
  if (!/character-reference$/.test(rule)) return [];
  const [numeric] = /^&#(?:\d+|[xX][0-9a-fA-F]+)/.exec(source.slice(start, start + 12)) ?? [];
  if (numeric) return [{ kind: "reference", cost: 0.4, edits: [put(start + numeric.length, ";")] }];
  const [found = "", name = ""] = /^&([A-Za-z0-9]+)/.exec(source.slice(start, start + 40)) ?? [];
  if (found === "") return [{ kind: "reference", cost: 1.3, edits: [put(start + 1, "amp;")] }];
  const end = start + found.length;
  const meant = REFERENCES.find((one) => one === name) ?? near(name, REFERENCES);
  const prefix = REFERENCES.filter((one) => name.startsWith(one)).toSorted((a, b) => b.length - a.length)[0];
  const closed = source.charAt(end) === ";" ? "" : ";";
  return [
    ...(meant
      ? [{ kind: "reference", cost: 0.5, edits: [{ start: start + 1, end, text: meant + closed }] } as const]
      : []),
    ...(prefix && prefix !== name
      ? [{ kind: "reference", cost: 0.9, edits: [put(start + 1 + prefix.length, ";")] } as const]
      : []),
    { kind: "reference", cost: 1.3, edits: [put(start + 1, "amp;")] },
  ];
}

/** Comments that do not end, or begin with one hyphen. */
function comments({ source, lineAt }: Markup, { start, rule }: Spot): Candidate[] {
  if (!/comment$/.test(rule)) return [];
  const from = source.lastIndexOf("<!", start);
  if (from === -1) return [];
  const at = from + 2;
  const found: Candidate[] = [];
  const hyphens = /^-?(?!-)/.exec(source.slice(at, at + 2))?.[0];
  if (hyphens !== undefined && rule.includes("opened"))
    found.push({ kind: "comment", cost: 0.8, edits: [{ start: at, end: at + hyphens.length, text: "--" }] });
  const wrong = /--?\s*>|-->?|—>|--!>/.exec(source.slice(at + 2, at + 5_000));
  if (wrong)
    found.push({
      kind: "comment",
      cost: 0.9,
      edits: [{ start: at + 2 + wrong.index, end: at + 2 + wrong.index + wrong[0].length, text: "-->" }],
    });
  found.push({ kind: "comment", cost: 1.2, edits: [put(withoutSpace(source, at, lineAt(at).end), " -->")] });
  return found;
}

function doctypes(source: string, { rule }: Spot): Candidate[] {
  if (!/doctype|incorrectly-opened-comment/.test(rule)) return [];
  const written = /^\s*<!?\s*d?[a-z]{4,9}\s+html[^>]*>?/i.exec(source.slice(0, 200));
  const end = written ? written[0].length : 0;
  return [{ kind: "doctype", cost: 0.5, edits: [{ start: 0, end, text: `<!DOCTYPE html>${written ? "" : "\n"}` }] }];
}

/** How far a tag that begins its line is indented; undefined for others. */
function indentOf(source: string, { start }: Tag): number | undefined {
  const [space = ""] = /[ \t]*$/.exec(source.slice(Math.max(0, start - MAX_INDENT), start)) ?? [];
  const before = start - space.length - 1;
  return before < 0 || /[\n\r]/.test(source.charAt(before)) ? space.length : undefined;
}

/** The end of the last line before one that is indented as little, up to `limit`. */
function lineBack({ source }: Markup, from: number, limit: number, indentation: number): number | undefined {
  let last = from;
  for (let at = from + 1; at < Math.min(limit, from + FAR); ) {
    const end = source.indexOf("\n", at);
    const line = source.slice(at, end === -1 ? source.length : end);
    const indent = line.search(/\S/);
    if (indent !== -1 && indent <= indentation) return withoutSpace(source, 0, last);
    if (indent !== -1) last = at + line.length;
    if (end === -1) break;
    at = end + 1;
  }
  return undefined;
}

/** The beginning of the first line of those before one that are indented more than it. */
function lineForward(source: string, lineStart: number, indentation: number): number | undefined {
  let first: number | undefined;
  for (let end = lineStart - 1; end > Math.max(0, lineStart - FAR); ) {
    const start = source.lastIndexOf("\n", end - 1) + 1;
    const indent = source.slice(start, end).search(/\S/);
    if (indent !== -1 && indent <= indentation) return first;
    if (indent !== -1) first = start + Math.min(indent, indentation);
    end = start - 1;
  }
  return first;
}

/** The place behind the last thing before an offset that is no white space. */
function withoutSpace(source: string, from: number, offset: number): number {
  return from + source.slice(from, offset).trimEnd().length;
}
