import { decodeFile } from "../documents/decode-document.ts";

const MARKS: Readonly<Record<string, readonly number[]>> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};

/** A text with the means to write it, changed, as bytes that are the same elsewhere. */
export type EditableText = {
  source: string;
  encoding: ReturnType<typeof decodeFile>["encoding"];
  /** @returns undefined for what its encoding does not have, or would be read in another one */
  encode: (source: string) => Buffer | undefined;
};

/**
 * Decodes a file that is to be changed.
 *
 * @returns why it cannot be changed, if its bytes are not exactly those of its text
 */
export function decodeForEdit(bytes: Buffer, contentType: string): EditableText | { refused: string } {
  const { source, encoding } = decodeFile(bytes, contentType);
  const mark = markOf(bytes, encoding.name);
  const encodeText = encoderOf(encoding.name);
  if (!encodeText) return { refused: `it is in ${encoding.name}, which is not written` };
  const encode = (text: string): Buffer | undefined => {
    const body = encodeText(text);
    return body && Buffer.concat([mark, body]);
  };
  if (!encode(source)?.equals(bytes))
    return { refused: `its bytes are not exactly those of a text in ${encoding.name}` };
  return {
    ...{ source, encoding },
    encode: (text) => {
      const written = encode(text);
      return written && decodeFile(written, contentType).source === text ? written : undefined;
    },
  };
}

function markOf(bytes: Buffer, name: string): Buffer {
  const mark = Buffer.from(MARKS[name] ?? []);
  return bytes.subarray(0, mark.length).equals(mark) ? mark : Buffer.alloc(0);
}

/** Of encodings in which each unit of UTF-16 has its bytes; undefined for others, such as those of East Asia. */
function encoderOf(name: string): ((text: string) => Buffer | undefined) | undefined {
  if (name === "utf-8") return (text) => (text.isWellFormed() ? Buffer.from(text) : undefined);
  if (name === "utf-16le") return (text) => Buffer.from(text, "utf16le");
  if (name === "utf-16be") return (text) => Buffer.from(text, "utf16le").swap16();
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  let table: string;
  try {
    table = new TextDecoder(name).decode(bytes);
  } catch {
    return undefined;
  }
  // In one of several bytes, some bytes alone are no characters.
  if (table.length !== bytes.length || !/^[\0-\x7f]*$/.test(table.slice(0, 128))) return undefined;
  const byteOf = new Map([...table].map((character, byte) => [character, byte]));
  return (text) => {
    const found = Array.from(text, (character) => byteOf.get(character));
    return found.includes(undefined) ? undefined : Buffer.from(found as number[]);
  };
}
