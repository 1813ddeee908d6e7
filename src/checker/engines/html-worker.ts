import { Script } from "node:vm";
import { createHtmlCheck, type HtmlResult } from "./html-check.ts";

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
const send = (response: HtmlResponse): void => {
  process.send?.(response);
};

process.on("message", ({ id, url, source, withRaw, timeoutMs }: HtmlRequest) => {
  try {
    let result: HtmlResult = { issues: [] };
    Object.assign(globalThis, {
      checkPage: () => {
        result = check(url, source, withRaw);
      },
    });
    // The only way to end a synchronous loop from within: a timer would never fire.
    run.runInThisContext({ timeout: timeoutMs + GRACE_MS });
    send({ id, result });
  } catch (error) {
    send({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
  }
});
// A terminal's or a supervisor's signal goes to the whole group; when the child ends is the parent's to say.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.once("disconnect", () => process.exit(0));
send({ ready: true });
