import { Script } from "node:vm";
import { createHtmlCheck, type HtmlResult } from "../html-validate/check.ts";

/**
 * The child process of the HTML engine: checks page after page, one at a time, and
 * knows nothing but what it is sent. It ends with its parent.
 */
export type HtmlRequest = { id: number; url: string; source: string; withRaw: boolean; timeoutMs: number };
export type HtmlResponse = { id: number; result: HtmlResult } | { id: number; error: string } | { ready: true };

/** The parent kills a page that takes too long; this much later the child does it itself, should the parent be gone. */
const GRACE_MS = 5_000;

const check = createHtmlCheck();
const run = new Script("globalThis.checkPage()");
const send = (response: HtmlResponse): Promise<void> =>
  new Promise((resolve) => process.send?.(response, undefined, undefined, () => resolve()));

let last = Promise.resolve();
process.on("message", (request: HtmlRequest) => {
  // Not before the last answer has left: this page's work would hold the rest of it back, and its page would be late.
  last = last.then(() => send(answerTo(request)));
});

function answerTo({ id, url, source, withRaw, timeoutMs }: HtmlRequest): HtmlResponse {
  try {
    let result: HtmlResult = { issues: [] };
    Object.assign(globalThis, {
      checkPage: () => {
        result = check(url, source, withRaw);
      },
    });
    // The only way to end a synchronous loop from within: a timer would never fire.
    run.runInThisContext({ timeout: timeoutMs + GRACE_MS });
    return { id, result };
  } catch (error) {
    return { id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

// A terminal's or a supervisor's signal goes to the whole group; when the child ends is the parent's to say.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.once("disconnect", () => process.exit(0));
void send({ ready: true });
