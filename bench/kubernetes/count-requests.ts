import { subscribe } from "node:diagnostics_channel";

/**
 * Preloaded into a program (`node --import`): counts its requests to the API server by method and resource, and sends
 * the numbers to the process that started it, whenever that asks.
 */

/** `GET reports`, `PUT reports/status` → how often. */
export type RequestCounts = Record<string, number>;

const counts: RequestCounts = {};

subscribe("undici:request:create", (message) => {
  const { method, path } = (message as { request: { method: string; path: string } }).request;
  const name = nameOf(method, new URL(path, "http://localhost"));
  counts[name] = (counts[name] ?? 0) + 1;
});
process.on("message", (message) => {
  if (message === "requests") process.send?.(counts);
});
process.once("disconnect", () => process.exit());
// What is listened to would keep the program alive.
process.channel?.unref();

function nameOf(method: string, { pathname, searchParams }: URL): string {
  const found = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/]+)(\/[^/]+)?(\/[^/]+)?$/.exec(pathname);
  const [, resource = pathname, name, subresource = ""] = found ?? [];
  if (method !== "GET" || name !== undefined) return `${method} ${resource}${subresource}`;
  return `${searchParams.has("watch") ? "WATCH" : "LIST"} ${resource}`;
}
