import type { HtmlDocument } from "html-conformance/documents";
import type { Message } from "html-conformance/messages";
import { UsageError } from "../../../domain/errors.ts";
import type { Engine } from "../../../domain/findings/findings.ts";
import { moduleFile } from "../../../files/own-modules.ts";
import { confinement } from "../../processes/confine.ts";
import type { CoreSlots } from "../../processes/core-slots.ts";
import { createWorkerPool } from "../../processes/worker-pool.ts";
import { findJava } from "../nu/find-java.ts";
import { createNuServer, type NuOptions } from "../nu/server.ts";
import type { HtmlEngine } from "./port.ts";
import { readDocument } from "./read-document.ts";
import type { DocumentRequest, DocumentResponse } from "./serve-documents.ts";

type Options = Pick<NuOptions, "log" | "timeoutMs" | "heapMb" | "parallel"> & {
  engine: Engine;
  /** Where Java may be (config.ts). */
  javaExecutables: readonly string[];
  /** A document is checked only while it has a slot. */
  cores: CoreSlots;
};

const IDENTIFY_HEAP_MB = 512;
const RECYCLE_AFTER = 10_000_000;

/** The Nu Html Checker as a warm server. @throws UsageError that says what to install, when it cannot run here */
export async function startNuEngine({ engine, javaExecutables, cores, ...options }: Options): Promise<HtmlEngine> {
  const found = await findJava(javaExecutables);
  if (!found.available) throw new UsageError(`${found.reason} ${found.install}`);
  const { java, jar } = found;
  const server = createNuServer({ java, jar, ...options });
  const { log, timeoutMs = 30_000 } = options;
  const workers = createIdentifyingPool({ log, cores, timeoutMs });
  /** Finds the elements of messages. If that fails, the page keeps its messages. */
  const identify = async (document: HtmlDocument, messages: Message[], signal: AbortSignal) => {
    const { end, ...task } = await workers.run({ document, messages }, signal);
    if ("response" in task && "elements" in task.response) return task.response.elements;
    log.warn("the elements of a page's messages were not found", { url: document.url, end });
    return messages.map(() => null);
  };
  return {
    engine,
    concurrency: server.concurrency,
    async check(document, signal, { alone = false } = {}) {
      // A file that cannot be read makes only its own check fail, as when a child process reads it.
      const read = await readDocument(document).catch((error: Error) => ({
        engineError: `nu failed: ${error.message}`,
      }));
      if ("engineError" in read) return read;
      const release = await cores.acquire(signal);
      const result = await server.check(read, signal, { alone }).finally(release);
      if ("engineError" in result) return result;
      const { messages } = result;
      return { messages, elements: messages.length > 0 ? await identify(read, messages, signal) : [] };
    },
    close: async () => {
      await Promise.all([server.close(), workers.close()]);
    },
  };
}

type Request = Pick<DocumentRequest, "document" | "messages">;
type Response = Exclude<DocumentResponse, { ready: true }>;

/** Pages are hostile, so they are parsed in separate processes. */
function createIdentifyingPool(options: Pick<Options, "log" | "cores"> & { timeoutMs: number }) {
  return createWorkerPool<Request, Response>({
    ...options,
    module: moduleFile("./identify-worker", import.meta.url),
    args: [],
    workers: 1,
    execArgv: [...confinement([]), `--max-old-space-size=${IDENTIFY_HEAP_MB}`],
    recycle: { after: RECYCLE_AFTER, cost: ({ messages = [] }) => 1_000 + messages.length },
  });
}

/** Whether the Nu Html Checker can run on this machine. */
export async function canRunNu(javaExecutables: readonly string[]): Promise<boolean> {
  return (await findJava(javaExecutables)).available;
}
