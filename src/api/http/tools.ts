import { type RequestHandler, text } from "express";
import type { Calls, ServeTools } from "../page-port.ts";
import { admit } from "./dispatch.ts";
import { logFailure } from "./response/error-handler.ts";
import { malformed, methodNotAllowed } from "./response/errors.ts";
import { holderOf, type RouteDeps, runFor } from "./run-route.ts";
import { TOOLS_PATH } from "./tools-path.ts";

const readText = text({ limit: "4mb", type: () => true, defaultCharset: "utf-8" });

/**
 * The address of the Model Context Protocol. Who calls is admitted as by the API, with the same tokens and limits, and what a
 * tool asks of the API is a call of its own: it counts, and needs the scope of its route. Nothing is kept between requests,
 * so there are no streams to open (GET) and no sessions to end (DELETE).
 */
export function toolsRoute(serve: ServeTools, calls: Calls, routeDeps: RouteDeps): RequestHandler {
  const { deps, subscriptions, concurrency } = routeDeps;
  return async (request, response, next) => {
    if (request.path !== TOOLS_PATH) return next();
    response.locals.route = TOOLS_PATH;
    if (request.method !== "POST") throw methodNotAllowed(request.method, "POST");
    // Reading is enough for some tools; others find out by the routes that they call.
    const caller = await admit({ access: "account", method: "GET", site: "none" }, routeDeps, request, response);
    const key = holderOf(caller, request);
    await new Promise<void>((resolve, reject) => {
      readText(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
    const exchange = { request, response };
    await runFor(key, () =>
      serve(exchange, {
        message: messageOf(request.body),
        call: (call) => calls.call(exchange, { ...call, caller }),
        async heavy(work) {
          const end = await concurrency.take(key, subscriptions.abortSignal(response));
          return work().finally(end);
        },
        onError: (error) => logFailure(deps.log, error, response),
      }),
    );
  };
}

/** @throws RequestError 400 for what is not one message: each counts as a call */
function messageOf(body: unknown): object {
  try {
    const message: unknown = JSON.parse(typeof body === "string" ? body : "");
    if (typeof message === "object" && message !== null && !Array.isArray(message)) return message;
  } catch {}
  throw malformed("malformed_message", "The body must be one message of JSON-RPC, as a JSON object.");
}
