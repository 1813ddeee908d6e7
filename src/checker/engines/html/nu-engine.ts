import { UsageError } from "../../../domain/errors.ts";
import type { Engine } from "../../../domain/findings.ts";
import type { HtmlDocument } from "../../../domain/html-document.ts";
import type { Message } from "../../../domain/html-message.ts";
import type { Logger } from "../../../telemetry/log.ts";
import type { HtmlEngine } from "./port.ts";
import { readDocument } from "./read-document.ts";

/** The Nu Html Checker as a warm server of this process (engines/nu/). */
export type NuServer = {
  check(
    document: Pick<HtmlDocument, "source" | "url" | "contentType">,
    signal: AbortSignal,
  ): Promise<{ messages: Message[] } | { engineError: string }>;
  close(): Promise<void>;
};

type Options = { log: Logger; engine: Engine; workers: number };

/** @throws UsageError when no Java is found, or not the Nu checker's package */
export async function startNuEngine({ log, engine, workers }: Options): Promise<HtmlEngine> {
  const server = await createNuServer(log);
  return {
    engine,
    concurrency: workers,
    check: async (document, signal) => server.check(await readDocument(document), signal),
    close: () => server.close(),
  };
}

/** Whether it can run on this machine. */
export async function canRunNu(): Promise<boolean> {
  return false;
}

/** Stands for `createNuServer` of engines/nu/. */
async function createNuServer(_log: Logger): Promise<NuServer> {
  throw new UsageError("The Nu Html Checker cannot run here: it needs Java 11 or later.");
}
