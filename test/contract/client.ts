import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { compileResponses, holdAgainstDocument } from "../support/openapi.ts";

export type Reply = {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a contract is about what the types do not say
  json: any;
};

type Outgoing = { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string | undefined };

export type Send = (outgoing: Outgoing) => Promise<Reply>;

/**
 * Sends requests to a service over plain HTTP. Each response is compared with the OpenAPI document.
 *
 * @param address where to connect to, if not to the host of the base URL: an ingress
 */
export function client(baseUrl: string, address = new URL(baseUrl).host): Send {
  compileResponses();
  const { host } = new URL(baseUrl);
  const connect = new URL(`http://${address}`);
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: connect.hostname,
          port: connect.port || 80,
          method,
          path,
          headers: { Host: host, ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }), ...headers },
          timeout: 120_000,
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.once("error", reject);
          response.once("end", () => {
            const bytes = Buffer.concat(parts);
            const text = (response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
            const isJson = /[/+]json\b/.test(response.headers["content-type"] ?? "") && text !== "";
            const reply: Reply = {
              status: response.statusCode ?? 0,
              headers: response.headers as Reply["headers"],
              text,
              json: isJson ? JSON.parse(text) : undefined,
            };
            try {
              requireDocumented({ method, path, headers, body }, reply);
              resolve(reply);
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.once("timeout", () => outgoing.destroy(new Error(`${method} ${path}: no response in 120 s`)));
      outgoing.once("error", reject);
      outgoing.end(body);
    });
}

const API = "/api/v1";

/** @throws Error for a response that the OpenAPI document does not describe */
function requireDocumented({ method, path, headers, body }: Outgoing, reply: Reply): void {
  if (!path.startsWith(`${API}/`)) return;
  const present = Object.entries(reply.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const isJson = /json/.test(headers["Content-Type"] ?? headers["content-type"] ?? "");
  holdAgainstDocument({
    method,
    path: path.slice(API.length),
    sent: isJson && body && reply.status < 300 ? JSON.parse(body) : undefined,
    sentHeaders: new Headers(headers),
    status: reply.status,
    headers: new Headers(present),
    text: reply.text,
  });
}
