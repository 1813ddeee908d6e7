import { decodeHTMLAttribute, decodeXML } from "entities";
import { QuoteType, Tokenizer } from "htmlparser2";

/** A start tag with what is read of its attributes; of several with the same name the first counts. */
export type Tag = {
  /** In lower case. */
  name: string;
  given: Partial<Record<string, string>>;
  /** Offsets of its `<`, and of what follows its `>`. */
  start: number;
  end: number;
};

/** Where in the document the tokenizer is: within how many templates and SVG elements, and whether in a noscript. */
export type Place = { templates: number; svgs: number; inNoscript: boolean };

const MAX_NAME_LENGTH = 14;
const MAX_ATTRIBUTE_LENGTH = 18;
const NO_ATTRIBUTES: readonly string[] = [];
/** What is read of the elements that say where the next ones are. */
const places = new Map<string, readonly string[]>([
  ["template", ["shadowrootmode"]],
  ["noscript", ["id"]],
  ["svg", ["id", "style"]],
]);

/** @returns whether the tag is one of those that only say where the next ones are */
function enter(place: Place, { name, given }: Tag): boolean {
  if (name === "template") {
    // A template with an open shadow root is replaced by it. The links of a closed one cannot be seen in a browser.
    if (place.templates > 0 || given.shadowrootmode?.toLowerCase() !== "open") place.templates += 1;
  } else if (place.templates > 0) return true;
  else if (name === "noscript") place.inNoscript = true;
  else if (name === "svg") place.svgs += 1;
  else return false;
  return true;
}

function leave(place: Place, name: string): void {
  if (name === "noscript") place.inNoscript = false;
  else if (place.inNoscript) return;
  else if (name === "template") place.templates = Math.max(0, place.templates - 1);
  else if (name === "svg" && place.templates === 0) place.svgs = Math.max(0, place.svgs - 1);
}

/**
 * Calls `onTag` with each start tag of a document, but for templates, that a browser with scripts has as an element before any script has run:
 * none in a `template` or a `noscript`. One pass of the tokenizer builds no tree and no stack of open elements, so the
 * cost stays linear however deep a hostile page nests.
 *
 * @param reading.read which attributes of an element are read, by its name in lower case and where it is; undefined: the tag is skipped
 * @param reading.xml whether every element may be empty (`<iframe/>`) and none has only text
 * @param onEnd is called with the name of each end tag where start tags are read, but in SVG
 */
export function scanTags(
  source: string,
  { read, xml }: { read: (name: string, place: Place) => readonly string[] | undefined; xml: boolean },
  onTag: (tag: Tag, place: Place) => void,
  onEnd?: (name: string) => void,
): void {
  const place: Place = { templates: 0, svgs: 0, inNoscript: false };
  let tag: Tag | undefined;
  let attributes = NO_ATTRIBUTES;
  let attribute = "";
  let value = "";

  const onTagEnd = (end: number, isSelfClosing: boolean): void => {
    if (tag && !place.inNoscript) {
      const hasContent = !isSelfClosing || !(xml || tag.name === "svg");
      tag.end = end + 1;
      const isPlace = hasContent && enter(place, tag) && tag.name === "template";
      if (!isPlace && place.templates === 0) onTag(tag, place);
    }
    tag = undefined;
    attributes = NO_ATTRIBUTES;
  };
  const ignore = (): void => {};

  const decode = xml ? decodeXML : decodeHTMLAttribute;

  // Character references are decoded in the values that are read, and nowhere else: the tokenizer then looks for the next tag in
  // one go, and not at each character of the text.
  const tokenizer = new Tokenizer(
    { decodeEntities: false, xmlMode: xml },
    {
      isInForeignContext: () => place.svgs > 0,
      onopentagname(start, end) {
        const name = end - start <= MAX_NAME_LENGTH ? source.slice(start, end).toLowerCase() : "";
        const wanted = places.get(name) ?? read(name, place);
        tag = wanted && { name, given: {}, start: start - 1, end };
        attributes = wanted ?? NO_ATTRIBUTES;
      },
      onattribname(start, end) {
        value = "";
        attribute = "";
        if (attributes === NO_ATTRIBUTES || end - start > MAX_ATTRIBUTE_LENGTH) return;
        const name = source.slice(start, end).toLowerCase();
        if (attributes.includes(name)) attribute = name;
      },
      onattribdata(start, end) {
        if (attribute === "") return;
        const written = source.slice(start, end);
        value = written.includes("&") ? decode(written) : written;
      },
      onattribentity: ignore,
      onattribend(quote) {
        if (attribute === "" || (attribute === "href" && quote === QuoteType.NoValue)) return;
        if (tag) tag.given[attribute] ??= value;
      },
      onopentagend: (end) => onTagEnd(end, false),
      onselfclosingtag: (end) => onTagEnd(end, true),
      onclosetag(start, end) {
        const isOutside = place.templates === 0 && place.svgs === 0 && !place.inNoscript;
        if (end - start > MAX_NAME_LENGTH) return;
        if (!isOutside) leave(place, source.slice(start, end).toLowerCase());
        else onEnd?.(source.slice(start, end).toLowerCase());
      },
      ontext: ignore,
      ontextentity: ignore,
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
}

/** What reads start tags of a document, as `scanTags` finds them. */
export type TagReader = {
  /** Which attributes of an element are read; undefined: its tags are not. They may have more. */
  read(name: string, place: Place): readonly string[] | undefined;
  onTag(tag: Tag, place: Place): void;
};

/** Lets several readers have the tags of one pass: finding them takes longer than most readers. */
export function scanForAll(source: string, readers: readonly TagReader[], { xml }: { xml: boolean }): void {
  type Wanted = { attributes: readonly string[] | undefined; of: readonly TagReader[] };
  // Elements with the same name have the same attributes, but in a drawing.
  const merged = { drawn: new Map<string, Wanted>(), other: new Map<string, Wanted>() };
  const merge = (name: string, place: Place): Wanted => {
    const lists = readers.map((reader) => reader.read(name, place));
    const attributes = lists.some(Boolean) ? [...new Set(lists.flatMap((list) => list ?? []))] : undefined;
    return { attributes, of: readers.filter((_, index) => lists[index]) };
  };
  const wantedOf = (name: string, place: Place): Wanted => {
    const known = place.svgs > 0 ? merged.drawn : merged.other;
    const wanted = known.get(name) ?? merge(name, place);
    if (known.size < MAX_MERGED) known.set(name, wanted);
    return wanted;
  };
  scanTags(source, { read: (name, place) => wantedOf(name, place).attributes, xml }, (tag, place) => {
    for (const reader of wantedOf(tag.name, place).of) reader.onTag(tag, place);
  });
}

/** Names of elements that are kept: a hostile page may have any number. */
const MAX_MERGED = 1_000;
