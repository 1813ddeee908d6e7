import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Below this many bytes compression saves less than it costs. */
const WORTH_COMPRESSING = 1_024;
/** Up to here a detour over another thread costs more than the compression: 0.2 against 0.08 ms for 14 kB. */
const WORTH_A_THREAD = 256_000;

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export type StoredSource = { encoding: "identity" | "zstd"; body: Buffer };

/** A page's source as page_sources keeps it. */
export async function encodeSource(source: string): Promise<StoredSource> {
  const body = Buffer.from(source);
  if (body.length < WORTH_COMPRESSING) return { encoding: "identity", body };
  const compressed = body.length < WORTH_A_THREAD ? zstdCompressSync(body, options) : await compress(body, options);
  return { encoding: "zstd", body: compressed };
}

/** The inverse of encodeSource. */
export async function decodeSource(stored: StoredSource): Promise<string> {
  if (stored.encoding === "identity") return stored.body.toString("utf8");
  // HTML shrinks to a quarter or less.
  const small = stored.body.length < WORTH_A_THREAD / 4;
  const body = small ? zstdDecompressSync(stored.body) : await decompress(stored.body);
  return body.toString("utf8");
}
