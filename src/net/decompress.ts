import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { PageError } from "../domain/failure.ts";

const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

/** As browsers do, a body that ends too early gives what there is. */
const decoders = {
  gzip: (body: Buffer, most: number) => promisify(gunzip)(body, { ...lenient, maxOutputLength: most }),
  deflate: (body: Buffer, most: number) =>
    // RFC 9110 says zlib's format; some servers send the bare one.
    promisify(((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, { ...lenient, maxOutputLength: most }),
  br: (body: Buffer, most: number) => promisify(brotliDecompress)(body, { maxOutputLength: most }),
  zstd: (body: Buffer, most: number) =>
    // RFC 9659: windows of 8 MB at the most; a larger one only costs memory.
    promisify(zstdDecompress)(body, {
      maxOutputLength: most,
      params: { [constants.ZSTD_d_windowLogMax]: 23 },
    }),
};

/** What every request says that it understands. */
export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/**
 * Undoes a Content-Encoding. Inflating stops at `maxBytes`, however small the body was.
 *
 * @throws PageError too_large, or invalid_response for what cannot be undone
 */
export async function decompress(body: Buffer, encoding: string, url: string, maxBytes: number): Promise<Buffer> {
  const names = encoding
    .toLowerCase()
    .split(",")
    .flatMap((name) => name.trim().replace(/^x-/, "") || [])
    .filter((name) => name !== "identity");
  // Nobody compresses more than twice; each round could cost the limit once more.
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

/** The failure of a body beyond the limit. */
export function tooLarge(url: string, maxBytes: number): PageError {
  return new PageError("too_large", `${url} is larger than ${maxBytes / 1_000_000} MB.`);
}
