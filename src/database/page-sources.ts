import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Below this many bytes compression saves less than it costs. */
const WORTH_COMPRESSING = 1_024;

export type StoredSource = { encoding: "identity" | "zstd"; body: Buffer };

/** A page's source as page_sources keeps it. */
export async function encodeSource(source: string): Promise<StoredSource> {
  const body = Buffer.from(source);
  if (body.length < WORTH_COMPRESSING) return { encoding: "identity", body };
  return { encoding: "zstd", body: await compress(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }) };
}

/** The inverse of encodeSource. */
export async function decodeSource(stored: StoredSource): Promise<string> {
  const body = stored.encoding === "zstd" ? await decompress(stored.body) : stored.body;
  return body.toString("utf8");
}
