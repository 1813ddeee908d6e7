import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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
export async function serveReceiver(): Promise<ReceiverServer> {
  const got: Got[] = [];
  const answers = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      got.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      (answers.get(path) ?? ((one) => one.writeHead(204).end()))(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answer: (path, respond) => answers.set(path, respond),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
