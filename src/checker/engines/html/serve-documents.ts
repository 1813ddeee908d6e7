import { Script } from "node:vm";
import type { HtmlDocument } from "html-conformance/documents";
import type { Message } from "html-conformance/messages";
import type { ElementKey } from "../../../domain/identity/element-key.ts";
import { confine } from "../../processes/confine.ts";
import { serveFromSnapshot } from "../../processes/snapshot.ts";
import type { Causes, HtmlFile } from "./port.ts";
import { readDocument } from "./read-document.ts";

/** Messages to and from an engine's child process; `broken` is not the document's fault. */
export type DocumentRequest = {
  id: number;
  timeoutMs: number;
  document: (HtmlDocument & Causes) | HtmlFile;
  /** What another engine found in it. */
  messages?: Message[];
};
export type DocumentResponse = ({ id: number } & (Checked | { error: string } | { broken: string })) | { ready: true };

/** `elements` has the key of each message's element (element-keys.ts), `repaired` whether it is gone in a copy (repair.ts). */
type Checked = { messages: Message[]; language: string; elements: (ElementKey | null)[]; repaired?: boolean[] };

type Check = (document: HtmlDocument & Causes, messages: readonly Message[]) => Checked;
type Prepare = (document: HtmlDocument) => Promise<void>;

/** The parent kills a child that takes too long. This much later the child stops by itself, in case the parent is gone. */
const GRACE_MS = 5_000;

/**
 * Runs an engine in a child process: one document after the other. The process has no data but the
 * requests, and ends with its parent.
 *
 * @param check synchronous, because it is ended when it takes too long
 * @param prepare awaited before each check: loads what the document needs
 */
export async function serveDocuments(check: Check, prepare: Prepare = async () => {}): Promise<void> {
  await serveFromSnapshot(
    () => warmUp(check, prepare),
    (isWarm) => serve(check, prepare, isWarm),
  );
}

async function serve(check: Check, prepare: Prepare, isWarm: boolean): Promise<void> {
  // A terminal or a supervisor sends signals to the whole process group. The parent decides when the child ends.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  process.once("disconnect", () => process.exit(0));
  // Before the process gives up its rights: what it compiles is stored for the next process.
  if (!isWarm) await warmUp(check, prepare);
  confine();
  const run = new Script("globalThis.checkDocument()");

  const respond = async ({
    id,
    document: given,
    timeoutMs,
    messages = [],
  }: DocumentRequest): Promise<DocumentResponse> => {
    try {
      const document = await readDocument(given);
      try {
        await prepare(document);
      } catch (error) {
        // Without what `prepare` loads no document can be checked.
        return { id, broken: errorOf(error) };
      }
      let checked: Checked = { messages: [], language: "", elements: [] };
      Object.assign(globalThis, {
        checkDocument: () => {
          checked = check(document, messages);
        },
      });
      // Only a vm timeout can end a synchronous loop from within the process: a timer would never fire.
      run.runInThisContext({ timeout: timeoutMs + GRACE_MS });
      return { id, ...checked };
    } catch (error) {
      return { id, error: errorOf(error) };
    } finally {
      Object.assign(globalThis, { checkDocument: undefined });
    }
  };

  let last: Promise<unknown> = Promise.resolve();
  process.on("message", (request: DocumentRequest) => {
    // Waits until the previous response is sent: the next check would block the rest of it and delay that document.
    last = last.then(() => respond(request)).then(send);
  });
  void send({ ready: true });
}

/** A document with most kinds of content, and a mistake whose element gets a key. */
const SAMPLE: HtmlDocument & Causes = {
  repaired: true,
  url: "https://example.com/",
  contentType: "text/html",
  source:
    '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A page</title></head>\n<body>\n' +
    '<h1 id="a">A page</h1>\n<ul><li><a href="#a" class="b">A link</a></ul>\n' +
    '<table><tr><td>1</table>\n<p><img src="x.png"><input type="text" name="c"><center>d</center>\n</body>\n</html>\n',
};

/**
 * Checks a sample document, so that everything that the first document needs is loaded and compiled. There is time for
 * that, because processes are started before there is a document.
 */
async function warmUp(check: Check, prepare: Prepare): Promise<void> {
  try {
    await prepare(SAMPLE);
    check(SAMPLE, []);
  } catch {
    // The first document's check will report what is missing.
  }
}

/** V8's message about too deep a recursion would tell the author of a page nothing. */
function errorOf(error: unknown): string {
  if (error instanceof RangeError && error.message.includes("call stack")) return "its elements are nested too deep.";
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function send(response: DocumentResponse): Promise<void> {
  return new Promise((resolve) => process.send?.(response, undefined, undefined, () => resolve()));
}
