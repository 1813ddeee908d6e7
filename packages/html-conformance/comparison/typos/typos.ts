import { readAttributes, readTags, type Tag } from "../../src/repair/markup.ts";
import type { Random } from "../generator/random.ts";

/** One mistake of a person who writes HTML. */
export const typoKinds = [
  ...(["quote", "greater-than", "slash", "end tag", "start tag", "attribute name", "value"] as const),
  ...(["entity", "nesting", "case", "duplicate", "doctype"] as const),
] as const;
export type TypoKind = (typeof typoKinds)[number];

/** A part of a source that is replaced. */
export type Typo = { at: number; deleted: number; inserted: string };

/** The places at which a document may get a mistake of a kind. */
export function typoAt(source: string, kind: TypoKind, random: Random): Typo | undefined {
  const tags = readTags(source);
  const body = tags.filter(({ name }) => !["html", "head", "body", "style", "script", "title"].includes(name));
  const choices = makers[kind](source, body, random);
  return choices.length > 0 ? random.pick(choices) : undefined;
}

export function withTypo(source: string, { at, deleted, inserted }: Typo): string {
  return source.slice(0, at) + inserted + source.slice(at + deleted);
}

type Make = (source: string, tags: readonly Tag[], random: Random) => Typo[];

const gone = (at: number, deleted = 1): Typo => ({ at, deleted, inserted: "" });
const attributesOf = (source: string, tags: readonly Tag[]) =>
  tags
    .filter(({ isEnd }) => !isEnd)
    .flatMap((tag) => readAttributes(source, tag).attributes.map((one) => ({ tag, ...one })));
const CHOSEN =
  /^(?:type|rel|role|scope|lang|dir|method|target|loading|shape|autocomplete|inputmode|preload|kind|width|height|colspan)$/i;

const makers: Record<TypoKind, Make> = {
  quote: (source, tags) =>
    attributesOf(source, tags).flatMap(({ value }) =>
      value && value.quote !== "" ? [gone(value.start - 1), gone(value.end)] : [],
    ),
  "greater-than": (_, tags) => tags.flatMap(({ isOpen, end }) => (isOpen ? [] : [gone(end - 1)])),
  slash: (_, tags) => tags.flatMap(({ isEnd, start }) => (isEnd ? [gone(start + 1)] : [])),
  "end tag": (_, tags) => tags.flatMap(({ isEnd, start, end }) => (isEnd ? [gone(start, end - start)] : [])),
  "start tag": (_, tags) =>
    tags.flatMap(({ isEnd, isEmpty, start, end }) => (isEnd || isEmpty ? [] : [gone(start, end - start)])),
  "attribute name": (source, tags, random) =>
    attributesOf(source, tags).flatMap(({ start, name }) =>
      name.length < 3 ? [] : [{ at: start, deleted: name.length, inserted: misspelled(name, random) }],
    ),
  value: (source, tags, random) =>
    attributesOf(source, tags).flatMap(({ name, value }) => {
      if (!value || !CHOSEN.test(name) || value.end - value.start < 2) return [];
      const text = source.slice(value.start, value.end);
      return [{ at: value.start, deleted: text.length, inserted: misspelled(text, random) }];
    }),
  entity: (source, _, random) =>
    [...source.matchAll(/&([a-zA-Z]+|#\d+);/g)].flatMap(({ 0: whole, 1: name = "", index }) => [
      gone(index + whole.length - 1),
      ...(name.startsWith("#") || name.length < 3
        ? []
        : [{ at: index + 1, deleted: name.length, inserted: misspelled(name, random) }]),
    ]),
  nesting: (source, tags) =>
    tags.flatMap((tag, index) => {
      const next = tags[index + 1];
      if (!tag.isEnd || !next?.isEnd || next.start !== tag.end || next.name === tag.name) return [];
      const swapped = source.slice(next.start, next.end) + source.slice(tag.start, tag.end);
      return [{ at: tag.start, deleted: swapped.length, inserted: swapped }];
    }),
  case: (source, tags) =>
    attributesOf(source, tags).flatMap(({ name, value }) => {
      const text = value && source.slice(value.start, value.end);
      return value && text && /^[a-z]{2,}$/.test(text) && CHOSEN.test(name)
        ? [{ at: value.start, deleted: text.length, inserted: text.charAt(0).toUpperCase() + text.slice(1) }]
        : [];
    }),
  duplicate: (source, tags) => [
    ...attributesOf(source, tags).map(({ start, end }) => ({
      at: end,
      deleted: 0,
      inserted: ` ${source.slice(start, end)}`,
    })),
    ...tags.map(({ start, end }) => ({ at: end, deleted: 0, inserted: source.slice(start, end) })),
  ],
  doctype: (source, _, random) => {
    const [whole] = /^\s*<!doctype[^>]*>/i.exec(source) ?? [];
    if (!whole) return [];
    return [gone(0, whole.length), { at: whole.indexOf("<") + 2, deleted: 7, inserted: misspelled("DOCTYPE", random) }];
  },
};

/** A letter is missing, doubled, another one, or two are swapped. */
function misspelled(name: string, random: Random): string {
  const at = 1 + random.below(name.length - 1);
  const [before, letter, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  const forms = [
    before + after,
    before + letter + letter + after,
    before + (letter === "e" ? "r" : "e") + after,
    before.slice(0, -1) + letter + before.slice(-1) + after,
  ].filter((one) => one !== name);
  return random.pick(forms);
}
