import { setTimeout as sleep } from "node:timers/promises";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Call, HttpExchange, ToolPort } from "../api/page-port.ts";
import { createServer, type ServerOptions } from "./server.ts";
import { LIMIT_MS } from "./tool.ts";

/** Responds to one message over HTTP, for the caller of the API. Nothing is kept: the next message may reach another replica. */
export async function serveMessage(
  { request, response }: HttpExchange,
  { message, call, heavy, onError }: ToolPort,
  { checkHtml, ...options }: Pick<ServerOptions, "checkHtml" | "guides" | "version">,
): Promise<void> {
  const ask = async <Document>(given: Omit<Call, "caller">) => (await call(given)).document as Document;
  const server = createServer({
    ...options,
    checkHtml: (document, signal) => heavy(() => checkHtml(document, signal)),
    api: {
      get: (path, query = {}) => ask({ method: "GET", path, query: new URLSearchParams(query) }),
      post: (path, attributes) => ask({ method: "POST", path, attributes }),
    },
    folders: undefined,
    keepsReports: true,
    limitMs: LIMIT_MS,
    // What may be asked is decided by the routes: reports of this account, to addresses that the operator allows.
    requireAllowed: () => {},
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    explain: (error) => onError(error).message,
  });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => void server.close());
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response, message);
}
