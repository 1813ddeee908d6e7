import { readFile } from "node:fs/promises";
import { Script } from "node:vm";
import htmlEncodingSniffer from "html-encoding-sniffer";
import type { Message } from "../../domain/html-message.ts";
import { createConformanceChecker } from "./conformance/engine.ts";
import type { PackedGrammar } from "./conformance/grammar/packed.ts";
import type { Preset } from "./conformance/grammar/presets.ts";
import { loadGrammar } from "./grammar-store.ts";

/** The child process of the conformance engine: checks document after document, and ends with its parent. */
export type ConformanceRequest = {
  id: number;
  cacheDir: string;
  url: string;
  contentType: string;
  /** The document, or the file that it is in. */
  source?: string;
  file?: string;
  timeoutMs: number;
};
export type ConformanceResponse = { id: number; messages: Message[] } | { id: number; error: string } | { ready: true };

/** The parent kills what takes too long; this much later the child does it itself, should the parent be gone. */
const GRACE_MS = 5_000;

const grammars = new Map<Preset, PackedGrammar>();
const checker = createConformanceChecker((preset) => {
  const grammar = grammars.get(preset);
  if (!grammar) throw new Error(`The grammar of ${preset} is not loaded.`);
  return grammar;
});
const run = new Script("globalThis.checkDocument()");
const send = (response: ConformanceResponse): void => {
  process.send?.(response);
};

async function check(request: ConformanceRequest): Promise<Message[]> {
  const { url, contentType, file } = request;
  const isXml = contentType.includes("xml");
  for (const preset of isXml ? (["xhtml", "svg"] as const) : (["html"] as const))
    if (!grammars.has(preset)) grammars.set(preset, (await loadGrammar(request.cacheDir, preset)).grammar);
  const source = request.source ?? decode(await readFile(file ?? ""), isXml);
  let messages: Message[] = [];
  Object.assign(globalThis, {
    checkDocument: () => {
      messages = checker.check({ source, url, contentType });
    },
  });
  // The only way to end a synchronous loop from within: a timer would never fire.
  run.runInThisContext({ timeout: request.timeoutMs + GRACE_MS });
  return messages;
}

/** A document without a declaration of its encoding is UTF-8 today. */
function decode(bytes: Uint8Array, isXml: boolean): string {
  const encoding = htmlEncodingSniffer(bytes, { xml: isXml, defaultEncoding: "UTF-8" });
  return new TextDecoder(encoding).decode(bytes);
}

/** One after the other, although files are read without waiting. */
let last: Promise<void> = Promise.resolve();
process.on("message", (request: ConformanceRequest) => {
  last = last.then(async () => {
    try {
      send({ id: request.id, messages: await check(request) });
    } catch (error) {
      send({ id: request.id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
    }
  });
});
// A terminal's or a supervisor's signal goes to the whole group; when the child ends is the parent's to say.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.once("disconnect", () => process.exit(0));
send({ ready: true });
