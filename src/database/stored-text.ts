import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Below this number of bytes, another thread costs more than the compression: 0.2 ms against 0.08 ms for 14 kB. */
const MIN_THREAD_BYTES = 256_000;

/** More than the largest page that is fetched (static-fetcher.ts); bounds memory. */
const MAX_TEXT_BYTES = 64_000_000;

function optionsFor({ length }: Buffer) {
  // The size is known: what is compressed needs less memory for a small text.
  return { params: { [constants.ZSTD_c_compressionLevel]: 1 }, pledgedSrcSize: length };
}

/** Compresses a text in UTF-8 with zstd, on another thread if that is worth it. */
export async function compressText(text: Buffer): Promise<Buffer> {
  return text.length < MIN_THREAD_BYTES ? compressTextNow(text) : compress(text, optionsFor(text));
}

/** The same on this thread: 3 ms per megabyte. */
export function compressTextNow(text: Buffer): Buffer {
  return zstdCompressSync(text, optionsFor(text));
}

/**
 * The inverse of compressText.
 *
 * @throws Error when it is not zstd, or more than `maxBytes` when decompressed
 */
export async function decompressText(body: Buffer, maxBytes: number = MAX_TEXT_BYTES): Promise<string> {
  // HTML and JSON compress to a quarter or less.
  const limit = { maxOutputLength: maxBytes };
  const text = body.length < MIN_THREAD_BYTES / 4 ? zstdDecompressSync(body, limit) : await decompress(body, limit);
  return text.toString("utf8");
}

/**
 * JSON that PostgreSQL can store. It accepts neither NUL nor lone surrogates, and pages may
 * contain both: they become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify writes these two as escapes; after an escaped backslash the same characters are text.
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replaceAll(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found) => (found === "\\\\" ? found : "\ufffd"));
}

/** True when PostgreSQL can store the value unchanged. Resources on Kubernetes may have values that it cannot store. */
export function isStorable(value: unknown): boolean {
  return storableJson(value) === JSON.stringify(value);
}
