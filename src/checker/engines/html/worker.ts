import { Script } from "node:vm";
import { createHtmlCheck, type HtmlResult } from "../html-validate/check.ts";

/**
 * The child process of the HTML engine. It checks one page at a time and has no data but the
 * requests. It ends with its parent.
 */
export type HtmlRequest = { id: number; url: string; source: string; withRaw: boolean; timeoutMs: number };
export type HtmlResponse = { id: number; result: HtmlResult } | { id: number; error: string } | { ready: true };

/** The parent kills a child that takes too long. This much later the child stops by itself, in case the parent is gone. */
const GRACE_MS = 5_000;

const check = createHtmlCheck();
const run = new Script("globalThis.checkPage()");
const send = (response: HtmlResponse): Promise<void> =>
  new Promise((resolve) => process.send?.(response, undefined, undefined, () => resolve()));

let last = Promise.resolve();
process.on("message", (request: HtmlRequest) => {
  // Waits until the previous response is sent: the next check would block the rest of it and delay that page.
  last = last.then(() => send(handleRequest(request)));
});

function handleRequest({ id, url, source, withRaw, timeoutMs }: HtmlRequest): HtmlResponse {
  try {
    let result: HtmlResult = { issues: [] };
    Object.assign(globalThis, {
      checkPage: () => {
        result = check(url, source, withRaw);
      },
    });
    // Only a vm timeout can end a synchronous loop from within the process: a timer would never fire.
    run.runInThisContext({ timeout: timeoutMs + GRACE_MS });
    return { id, result };
  } catch (error) {
    return { id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

// A terminal or a supervisor sends signals to the whole process group. The parent decides when the child ends.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.once("disconnect", () => process.exit(0));
void send({ ready: true });
