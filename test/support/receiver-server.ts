import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TlsOptions } from "node:tls";

/** A request that a receiver got. */
export type Got = { path: string; headers: IncomingMessage["headers"]; body: string };

export type ReceiverServer = {
  url: string;
  got: Got[];
  /** What it answers from now on, by path; 204 at first. */
  answer: (path: string, respond: (response: ServerResponse, request: IncomingMessage) => void) => void;
  close(): Promise<void>;
};

/** Somebody else's program, which is told what happens. */
export async function serveReceiver(tls?: TlsOptions): Promise<ReceiverServer> {
  const got: Got[] = [];
  const answers = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      got.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      (answers.get(path) ?? ((one) => one.writeHead(204).end()))(response, request);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answer: (path, respond) => answers.set(path, respond),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
