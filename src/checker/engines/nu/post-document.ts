import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { NuAddress } from "./java-process.ts";

/** What came back; `isCut` when it was longer than allowed, and the rest was not read. */
export type NuResponse = { status: number; text: string; isCut: boolean };

/** No connection could be made, so the document was not sent. */
export class NotConnectedError extends Error {}

const HOST = "127.0.0.1";

/**
 * Has one document checked, over a connection of its own.
 *
 * A server keeps its port as long as it lives. So if the server is still alive after the connection was made, the
 * connection leads to it. A document is never sent to another process that got the port of a server that has ended.
 *
 * @throws NotConnectedError, or the error of a connection that broke
 */
export async function postDocument(
  { port, path }: NuAddress,
  isAlive: () => boolean,
  document: { body: Uint8Array; mediaType: string },
  maxBytes: number,
): Promise<NuResponse> {
  const socket = connect({ host: HOST, port });
  try {
    await once(socket, "connect").catch((error: Error) => {
      throw new NotConnectedError(error.message);
    });
    if (!isAlive()) throw new NotConnectedError("The server has ended.");
    return await readBounded(await send(socket, path, document), maxBytes);
  } finally {
    socket.destroy();
  }
}

function send(
  socket: Socket,
  path: string,
  { body, mediaType }: { body: Uint8Array; mediaType: string },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method: "POST",
      host: HOST,
      path: `${path}?out=json`,
      headers: {
        "Content-Type": `${mediaType}; charset=utf-8`,
        "Content-Length": body.byteLength,
        // Nu refuses requests without one.
        "User-Agent": "site-validator",
        Connection: "close",
      },
    });
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function readBounded(response: IncomingMessage, maxBytes: number): Promise<NuResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    isCut = size > maxBytes;
    if (isCut) break;
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8"), isCut };
}
