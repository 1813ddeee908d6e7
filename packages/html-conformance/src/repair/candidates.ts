import { near } from "../messages/near.ts";
import type { Edit, FixKind } from "./edits.ts";
import { readAttributes, type Tag, type WrittenAttribute } from "./markup.ts";
import { ELEMENTS, mayBeElement, type Structure, type Unclosed, VOID } from "./structure.ts";

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

/** What may have happened around a spot, the likeliest first. @param tags of the whole source */
export function candidatesAt(source: string, tags: readonly Tag[], structure: Structure, spot: Spot): Candidate[] {
  const ends = structure.unclosed.filter(({ tag }) => tag.start === spot.start).flatMap(({ endedBy }) => endedBy ?? []);
  const around = [...new Set([spot, ...ends].flatMap((one: Pick<Spot, "start" | "end">) => tagsAround(tags, one)))];
  const all = [
    ...around.flatMap((tag) => inTag(source, tag)),
    ...duplicates(source, tags, around),
    ...swapped(source, tags, around),
    ...notClosed(source, tags, structure, spot),
    ...notOpened(source, tags, structure, spot),
    ...references(source, spot),
    ...comments(source, spot),
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
function tagsAround(tags: readonly Tag[], { start, end }: Pick<Spot, "start" | "end">): Tag[] {
  const first = Math.max(0, tags.findIndex((tag) => tag.end > start) - 1);
  const behind = tags.findIndex((tag) => tag.start >= end);
  const last = behind === -1 ? tags.length : behind + 1;
  const inside = tags.slice(first, last);
  return inside.length <= 2 * MAX_TAGS ? inside : [...inside.slice(0, MAX_TAGS), ...inside.slice(-MAX_TAGS)];
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
  const beginnings = ELEMENTS.filter((one) => name.startsWith(one)).toSorted((a, b) => b.length - a.length);
  return beginnings.slice(0, 3).flatMap(({ length }) => {
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

/** The name of another attribute at the end of a value. */
const NEXT_ATTRIBUTE = /\s+[a-zA-Z][\w:-]*=$/;

/** Where the quote is that ends a value: before the next attribute, at the end of the tag, or as another sign. */
function quotes(source: string, from: number, end: number, quote: string): Candidate[] {
  const value = source.slice(from, end);
  const close = value.indexOf(quote);
  const other = value.search(quote === '"' ? /'(?=[\s/]|$)/ : /"(?=[\s/]|$)/);
  const behind = from + close + 1;
  return [
    ...[...value.matchAll(/\s+[a-zA-Z][\w:-]*=/g)].map(({ index }) => change("quote", 1, put(from + index, quote))),
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
function duplicates(source: string, tags: readonly Tag[], around: readonly Tag[]): Candidate[] {
  return around.flatMap((tag): Candidate[] => {
    const next = tags[tags.indexOf(tag) + 1];
    const isTwice =
      next !== undefined &&
      next.start === tag.end &&
      source.slice(tag.start, tag.end) === source.slice(next.start, next.end);
    const previous = tags[tags.indexOf(tag) - 1];
    const isAgain =
      !tag.isEnd &&
      tag.attributes.start === tag.attributes.end &&
      previous?.isEnd === false &&
      previous.name === tag.name &&
      !VOID.has(tag.name);
    const { attributes } = readAttributes(source, tag);
    const names = attributes.map(({ name }) => name.toLowerCase());
    return [
      ...(isAgain ? [{ kind: "end tag", cost: 0.8, edits: [put(tag.start + 1, "/")] } as const] : []),
      ...(isTwice
        ? [{ kind: tag.isEnd ? "end tag" : "start tag", cost: 0.6, edits: [take(next.start, next.end)] } as const]
        : []),
      ...attributes.flatMap(({ start, end }, index): Candidate[] => {
        if (names.indexOf(names[index] ?? "") === index) return [];
        const space = source.slice(0, start).length - source.slice(0, start).trimEnd().length;
        return [{ kind: "attribute", cost: 0.5, edits: [take(start - space, end)] }];
      }),
    ];
  });
}

/** Two end tags in the wrong order. */
function swapped(source: string, tags: readonly Tag[], around: readonly Tag[]): Candidate[] {
  return around.flatMap((tag): Candidate[] => {
    const next = tags[tags.indexOf(tag) + 1];
    if (!tag.isEnd || !next?.isEnd || next.name === tag.name) return [];
    const between = source.slice(tag.end, next.start);
    if (between.trim() !== "") return [];
    const text = source.slice(next.start, next.end) + between + source.slice(tag.start, tag.end);
    return [{ kind: "end tag", cost: 0.7, edits: [{ start: tag.start, end: next.end, text }] }];
  });
}

/** End tags that are missing, lack their "/", or have another name. */
function notClosed(source: string, tags: readonly Tag[], { unclosed, stray }: Structure, spot: Spot): Candidate[] {
  const isNear = ({ tag, endedBy, parents }: Unclosed) =>
    mayBeElement(tag.name) &&
    ((tag.start <= spot.end && (endedBy?.end ?? source.length) >= spot.start) ||
      endedBy?.start === spot.start ||
      parents.some(({ start }) => start === spot.start));
  const some = unclosed.filter(isNear).slice(0, MAX_UNCLOSED);
  return some.flatMap((one): Candidate[] => {
    const { tag, endedBy, parents } = one;
    const end = `</${tag.name}>`;
    const isClosing = parents.at(-1)?.name === tag.name && tag.attributes.start === tag.attributes.end;
    const within = tags.filter(
      (other) =>
        !other.isEnd &&
        other.name === tag.name &&
        other.start > tag.start &&
        other.end <= (endedBy?.start ?? source.length),
    );
    const plain = within.filter(({ attributes }) => attributes.start === attributes.end);
    const between = within.slice(0, -1).flatMap((other, index) => {
      const next = within[index + 1] as Tag;
      return indentOf(source, other) === indentOf(source, next) ? [withoutSpace(source, other.end, next.start)] : [];
    });
    const wrong = stray.find(({ tag: other, open }) => other.start > tag.end && open.includes(tag));
    return [
      ...(isClosing ? [{ kind: "end tag", cost: 0.8, edits: [put(tag.start + 1, "/")] } as const] : []),
      ...plain
        .slice(0, MAX_TAGS)
        .map((other): Candidate => ({ kind: "end tag", cost: 0.95, edits: [put(other.start + 1, "/")] })),
      ...between.slice(0, MAX_TAGS).map((at): Candidate => ({ kind: "end tag", cost: 2.05, edits: [put(at, end)] })),
      ...(wrong
        ? [
            {
              kind: "end tag",
              cost: near(wrong.tag.name, [tag.name]) ? 0.7 : 2.4,
              edits: [{ start: wrong.tag.start, end: wrong.tag.end, text: end }],
            } as const,
          ]
        : []),
      ...placesForEnd(source, tags, tag, endedBy).map(
        (at, index): Candidate => ({ kind: "end tag", cost: 2 + index / 10, edits: [endTagAt(source, tag, at, end)] }),
      ),
    ];
  });
}

/** An end tag is on a line of its own if the start tag is: on an empty one that is there, or on a new one. */
function endTagAt(source: string, tag: Tag, at: number, text: string): Edit {
  const line = lineAt(source, tag.start);
  const isAlone = source.slice(line.start, tag.start).trim() === "" && source.slice(tag.end, line.end).trim() === "";
  const rest = lineAt(source, at);
  if (!isAlone || source.slice(at, rest.end).trim() !== "") return put(at, text);
  const next = lineAt(source, rest.end + 1);
  if (rest.end < source.length && source.slice(next.start, next.end).trim() === "") return put(next.end, text);
  return put(at, `\n${source.slice(line.start, tag.start)}${text}`);
}

/** Where an element may end: at the end of its line, before a line that is indented like it, before the tag that ends it. */
function placesForEnd(source: string, tags: readonly Tag[], tag: Tag, endedBy: Tag | undefined): number[] {
  const limit = endedBy?.start ?? source.length;
  const line = lineAt(source, tag.start);
  const isFirst = source.slice(line.start, tag.start).trim() === "";
  const lineEnd = Math.min(limit, line.start + source.slice(line.start, line.end).trimEnd().length);
  const hasMore = source.slice(tag.end, lineEnd).trim() !== "";
  const deeper = line.end + Math.max(0, source.slice(line.end, line.end + 2_000).search(/\S/));
  const isIndented = deeper - lineAt(source, deeper).start > tag.start - line.start;
  const dedent = isFirst && isIndented ? lineBack(source, line.end, limit, tag.start - line.start) : undefined;
  const next = tags.find(
    (other) => other.start >= tag.end && !other.isEnd && other.name === tag.name && other.start < limit,
  );
  const behind = tags.filter((other) => other.start >= tag.end && other.start <= limit).slice(0, 6);
  const child = endOfChild(tags, tag);
  const beforeEnd = withoutSpace(source, tag.end, limit);
  return [
    ...(endedBy && limit <= line.end ? [limit] : []),
    ...(hasMore ? [lineEnd] : []),
    ...(dedent === undefined ? [] : [dedent]),
    ...(next ? [withoutSpace(source, tag.end, next.start)] : []),
    ...(child !== undefined && child <= limit ? [child] : []),
    beforeEnd,
    limit,
    ...behind.flatMap(({ start, end }) => [end, start]),
  ];
}

/** Where the first element in a tag's element ends. */
function endOfChild(tags: readonly Tag[], tag: Tag): number | undefined {
  const first = tags.findIndex(({ start }) => start >= tag.end);
  let depth = 0;
  for (let at = first; at !== -1 && at < tags.length && at < first + 200; at++) {
    const one = tags[at] as Tag;
    if (one.isEnd) depth--;
    else if (!VOID.has(one.name) && !one.isEmpty) depth++;
    if (depth <= 0) return depth === 0 ? one.end : undefined;
  }
  return undefined;
}

/** Start tags that are missing, or end tags that are too many. */
function notOpened(source: string, tags: readonly Tag[], { stray }: Structure, spot: Spot): Candidate[] {
  const some = stray.filter(({ tag }) => tag.end >= spot.start && tag.start <= spot.end);
  // A parser closes paragraphs by itself: their end tags may be stray although a start tag is there.
  const known = new Set(some.map(({ tag }) => tag));
  const others = tags.filter((tag) => tag.isEnd && tag.start === spot.start && !known.has(tag)).map((tag) => ({ tag }));
  return [...some, ...others]
    .slice(0, 3)
    .flatMap(({ tag }): Candidate[] => [
      ...placesForStart(source, tags, tag).map(
        (at, index): Candidate => ({ kind: "start tag", cost: 2.1 + index / 10, edits: [put(at, `<${tag.name}>`)] }),
      ),
      { kind: "end tag", cost: 2.7, edits: [take(tag.start, tag.end)] },
    ]);
}

function placesForStart(source: string, tags: readonly Tag[], tag: Tag): number[] {
  const line = lineAt(source, tag.start);
  const index = tags.indexOf(tag);
  const before = tags[index - 1];
  const text = before ? before.end + (source.slice(before.end, tag.start).match(/^\s*/)?.[0].length ?? 0) : line.start;
  const indentation = line.start + (source.slice(line.start, tag.start).match(/^\s*/)?.[0].length ?? 0);
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
function comments(source: string, { start, rule }: Spot): Candidate[] {
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
  const line = lineAt(source, at).end;
  found.push({ kind: "comment", cost: 1.2, edits: [put(withoutSpace(source, at, line), " -->")] });
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
  const line = lineAt(source, start);
  return source.slice(line.start, start).trim() === "" ? start - line.start : undefined;
}

function lineAt(source: string, offset: number): { start: number; end: number } {
  const end = source.indexOf("\n", offset);
  return { start: source.lastIndexOf("\n", offset - 1) + 1, end: end === -1 ? source.length : end };
}

/** The end of the last line before one that is indented as little, up to `limit`. */
function lineBack(source: string, from: number, limit: number, indentation: number): number | undefined {
  let last = from;
  for (let at = from + 1; at < limit; ) {
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
  for (let end = lineStart - 1; end > 0; ) {
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
