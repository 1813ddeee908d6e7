import type { Call, Reply } from "./api.ts";
import { documentedOperations } from "./openapi.ts";

export type Recorded = {
  operations: Record<string, { request?: unknown; response?: unknown }>;
  errors: Record<string, unknown>;
};
export type Made = { id: string; attributes: Record<string, unknown> };

/** Records the calls of a walk through the API. */
export function walker() {
  const recorded: Recorded = { operations: {}, errors: {} };
  const surprises: string[] = [];
  /** Where each operation succeeded, to request it again. */
  const addresses = new Map<string, string>();

  function note(method: string, path: string, attributes: object | undefined, reply: Reply): void {
    const template = documentedOperations().find(
      (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, "[^/]+")}(\\?.*)?$`).test(path),
    );
    if (reply.status >= 400) recorded.errors[reply.status] ??= reply.json;
    if (!template || reply.status >= 300) return;
    const { operationId } = template;
    const isJson = /^application\/(vnd[.]api[+])?json\b/.test(reply.headers.get("content-type") ?? "");
    addresses.set(operationId, path);
    if (!recorded.operations[operationId] && (isJson || attributes) && operationId !== "getOpenApi")
      recorded.operations[operationId] = {
        ...(attributes && { request: { data: { attributes } } }),
        ...(isJson && { response: reply.json }),
      };
  }

  /** Makes calls that must have a given status; the results are recorded, and the first of each operation is its example. */
  function recording(call: Call) {
    return async (
      status: number,
      method: string,
      path: string,
      options: Parameters<Call>[2] = {},
    ): Promise<Reply & { made: Made }> => {
      const reply = await call(method, path, options);
      if (reply.status !== status) surprises.push(`${method} ${path} → ${reply.status}, not ${status}: ${reply.text}`);
      note(method, path, options.attributes, reply);
      return { ...reply, made: reply.json.data as Made };
    };
  }
  return { recorded, surprises, addresses, recording };
}

export type Walker = ReturnType<typeof walker>;
export type Recording = ReturnType<Walker["recording"]>;
