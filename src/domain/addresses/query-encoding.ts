/**
 * Encodes the query of a link as browsers do: in the encoding of the document that has the link (URL Standard, "query
 * state"). Other parts of a URL are in UTF-8 always. The tables are those that TextDecoder has, the other way round.
 */

type Encode = (character: string) => readonly number[] | undefined;

/** @returns the URL as written, with the characters of its query that are not ASCII as escapes; for UTF-8 as it is */
export function encodeQuery(written: string, encoding: string): string {
  const at = written.indexOf("?");
  if (at === -1 || !hasOther(written, at) || isUnicode(encoding)) return written;
  const encode = encoderOf(encoding);
  return written.slice(0, at) + written.slice(at).replace(/[^\0-\x7f]+/gu, (text) => escaped(text, encode));
}

function hasOther(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return true;
  return false;
}

/** Encodings that have no encoder of their own; queries in them are in UTF-8. */
function isUnicode(encoding: string): boolean {
  return /^(utf-|replacement$)/i.test(encoding);
}

function escaped(text: string, encode: Encoder): string {
  const { of, around = ["", ""] } = encode;
  let result = "";
  // ISO-2022-JP switches to two bytes a character and back.
  let isInside = false;
  const switchTo = (inside: boolean): void => {
    if (isInside !== inside) result += around[inside ? 0 : 1];
    isInside = inside;
  };
  for (const character of text) {
    const bytes = of(character);
    switchTo(bytes !== undefined);
    result += bytes ? bytes.map(escapeByte).join("") : `%26%23${character.codePointAt(0)}%3B`;
  }
  switchTo(false);
  return result;
}

/** What the URL parser does to bytes of a query ("special-query percent-encode set"). */
function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (byte > 0x20 && byte < 0x7f && !`"#<>'`.includes(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

type Encoder = {
  of: Encode;
  /** What comes before and after characters of the encoding. */
  around?: readonly [string, string];
};

const encoders = new Map<string, Encoder>();

function encoderOf(encoding: string): Encoder {
  const known = encoders.get(encoding) ?? createEncoder(encoding);
  encoders.set(encoding, known);
  return known;
}

const DOUBLE_BYTE = new Set(["gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis"]);

function createEncoder(encoding: string): Encoder {
  if (encoding === "iso-2022-jp") {
    const { of } = encoderOf("euc-jp");
    const inJis: Encode = (character) => {
      // Katakana of half width are not in JIS X 0208; those of full width are.
      const bytes = of(/[\uff61-\uff9f]/.test(character) ? character.normalize("NFKC") : character);
      return bytes?.length === 2 ? bytes.map((byte) => byte & 0x7f) : undefined;
    };
    return { of: inJis, around: ["%1B$B", "%1B(B"] };
  }
  const table = tableOf(encoding);
  const isJapanese = encoding === "euc-jp" || encoding === "shift_jis";
  return {
    of: (character) => {
      const bytes = table.get(isJapanese ? (japanese.get(character) ?? character) : character);
      return bytes ?? (encoding === "gb18030" ? fourBytes(character) : undefined);
    },
  };
}

/** Characters that Japanese encoders replace. */
const japanese = new Map([
  ["\u00a5", "\\"],
  ["\u203e", "~"],
  ["\u2212", "\uff0d"],
]);

/** Characters that are twice in Big5, and are encoded as the second ("index Big5 pointer"). */
const LAST_OF_BIG5 = new Set("\u2550\u255e\u2561\u256a\u5341\u5345");

/** The bytes of each character; of several, the first, with exceptions. */
function tableOf(encoding: string): Map<string, readonly number[]> {
  const table = new Map<string, readonly number[]>();
  const add = (sequences: readonly (readonly number[])[]): void => {
    // All at once, because each call of a decoder costs more than a character. A line break ends a broken sequence.
    const lines = decode(
      encoding,
      sequences.flatMap((bytes) => [...bytes, 0x0a]),
    ).split("\n");
    for (const [index, character] of lines.entries()) {
      const bytes = sequences[index];
      if (!bytes || [...character].length !== 1 || character === "\ufffd") continue;
      const isLast = encoding === "big5" && LAST_OF_BIG5.has(character);
      if (isLast || !table.has(character)) table.set(character, bytes);
    }
  };
  add(range(0x21, 0xff).map((byte) => [byte]));
  if (!DOUBLE_BYTE.has(encoding)) return table;
  const leads = range(0x81, 0xfe).filter((lead) => isEncoded(encoding, lead));
  for (const lead of leads) add(range(0x40, 0xfe).map((trail) => [lead, trail]));
  return table;
}

/** Ranges that are only decoded: Hong Kong's part of Big5, and NEC's duplicates in Shift_JIS. */
function isEncoded(encoding: string, lead: number): boolean {
  if (encoding === "big5") return lead >= 0xa1;
  return encoding !== "shift_jis" || (lead !== 0xed && lead !== 0xee);
}

/** Characters outside of the table of two bytes: gb18030 has a number for every code point. */
function fourBytes(character: string): readonly number[] | undefined {
  const code = character.codePointAt(0) ?? 0;
  const pointer = code >= 0x10000 ? code - 0x10000 + 189_000 : pointersOfGb18030().get(character);
  if (pointer === undefined) return undefined;
  const digit = (divisor: number, base: number): number => Math.floor(pointer / divisor) % base;
  return [0x81 + digit(12_600, 126), 0x30 + digit(1_260, 10), 0x81 + digit(10, 126), 0x30 + digit(1, 10)];
}

let gb18030: Map<string, number> | undefined;

function pointersOfGb18030(): Map<string, number> {
  if (gb18030) return gb18030;
  const bytes = range(0, 39_419).flatMap((pointer) => [
    ...[0x81 + Math.floor(pointer / 12_600), 0x30 + (Math.floor(pointer / 1_260) % 10)],
    ...[0x81 + (Math.floor(pointer / 10) % 126), 0x30 + (pointer % 10)],
  ]);
  gb18030 = new Map([...decode("gb18030", bytes)].map((character, pointer) => [character, pointer]));
  return gb18030;
}

function decode(encoding: string, bytes: readonly number[]): string {
  try {
    return new TextDecoder(encoding).decode(Uint8Array.from(bytes));
  } catch {
    // x-user-defined, which Node cannot decode: then its characters are escaped as numbers.
    return "";
  }
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
