import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { PageError } from "../domain/failure.ts";

const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

/** As in browsers, a truncated gzip or deflate body yields its complete part. */
const decoders = {
  gzip: (body: Buffer, maxBytes: number) => promisify(gunzip)(body, { ...lenient, maxOutputLength: maxBytes }),
  deflate: (body: Buffer, maxBytes: number) =>
    // RFC 9110 requires the zlib format, but some servers send raw deflate.
    promisify(((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, { ...lenient, maxOutputLength: maxBytes }),
  br: (body: Buffer, maxBytes: number) => promisify(brotliDecompress)(body, { maxOutputLength: maxBytes }),
  zstd: (body: Buffer, maxBytes: number) =>
    // RFC 9659 limits the window to 8 MB. A larger one would only cost memory.
    promisify(zstdDecompress)(body, {
      maxOutputLength: maxBytes,
      params: { [constants.ZSTD_d_windowLogMax]: 23 },
    }),
};

/** The Accept-Encoding header of every request. */
export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** The names in a Content-Encoding header, in the order in which they were applied; none when nothing is compressed. */
export function compressions(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(",")
    .flatMap((name) => name.trim().replace(/^x-/, "") || [])
    .filter((name) => name !== "identity");
}

/**
 * Decodes a body by its Content-Encoding. Stops when the result exceeds `maxBytes`, however small the body is.
 *
 * @throws PageError too_large, or invalid_response when the body cannot be decoded
 */
export async function decompress(body: Buffer, encoding: string, url: string, maxBytes: number): Promise<Buffer> {
  const names = compressions(encoding);
  // No honest server compresses more than twice, and each round can cost up to `maxBytes` of memory.
  if (names.length > 2)
    throw new PageError("invalid_response", `${url} is compressed ${names.length} times (${encoding}).`);
  let plain = body;
  for (const name of names.reverse()) {
    const decode = Object.hasOwn(decoders, name) ? decoders[name as keyof typeof decoders] : undefined;
    if (!decode)
      throw new PageError("invalid_response", `${url} is compressed in an unknown way (Content-Encoding: ${name}).`);
    if (plain.length === 0) return plain;
    plain = await decode(plain, maxBytes).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(url, maxBytes);
      throw new PageError("invalid_response", `${url} could not be decompressed (${name}: ${error.message}).`);
    });
  }
  return plain;
}

/** The error for a body that is larger than the limit. */
export function tooLarge(url: string, maxBytes: number): PageError {
  return new PageError("too_large", `${url} is larger than ${maxBytes / 1_000_000} MB.`);
}
