import { request } from "node:http";
import { holdAgainstDocument } from "../support/openapi.ts";

export type Answer = {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
  /** The body as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a contract is about what the types do not say
  json: any;
};

type Outgoing = { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string | undefined };

export type Send = (outgoing: Outgoing) => Promise<Answer>;

/**
 * Sends requests to a service, by nothing but HTTP. Each answer is held against the OpenAPI document.
 *
 * @param address where to connect to, when it is not where the base URL leads: an ingress
 */
export function client(baseUrl: string, address = new URL(baseUrl).host): Send {
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
          timeout: 30_000,
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.once("error", reject);
          response.once("end", () => {
            const text = Buffer.concat(parts).toString();
            const isJson = response.headers["content-type"]?.includes("json") && text !== "";
            const answer: Answer = {
              status: response.statusCode ?? 0,
              headers: response.headers as Answer["headers"],
              text,
              json: isJson ? JSON.parse(text) : undefined,
            };
            try {
              requireDocumented({ method, path, headers, body }, answer);
              resolve(answer);
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.once("timeout", () => outgoing.destroy(new Error(`${method} ${path}: no answer in 30 s`)));
      outgoing.once("error", reject);
      outgoing.end(body);
    });
}

const API = "/api/v1";

/** @throws Error for an answer that the OpenAPI document does not have */
function requireDocumented({ method, path, headers, body }: Outgoing, answer: Answer): void {
  if (!path.startsWith(`${API}/`)) return;
  const present = Object.entries(answer.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const isJson = /json/.test(headers["Content-Type"] ?? headers["content-type"] ?? "");
  holdAgainstDocument({
    method,
    path: path.slice(API.length),
    sent: isJson && body && answer.status < 300 ? JSON.parse(body) : undefined,
    sentHeaders: new Headers(headers),
    status: answer.status,
    headers: new Headers(present),
    text: answer.text,
  });
}
