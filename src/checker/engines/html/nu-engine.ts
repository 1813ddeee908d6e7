import { UsageError } from "../../../domain/errors.ts";
import type { Engine } from "../../../domain/findings.ts";
import type { CoreSlots } from "../../processes/core-slots.ts";
import { findJava } from "../nu/find-java.ts";
import { createNuServer, type NuOptions } from "../nu/server.ts";
import type { HtmlEngine } from "./port.ts";
import { readDocument } from "./read-document.ts";

type Options = Pick<NuOptions, "log" | "timeoutMs" | "heapMb" | "parallel"> & {
  engine: Engine;
  /** Where Java may be (config.ts). */
  javaExecutables: readonly string[];
  /** A document is checked only while it has a slot. */
  cores: CoreSlots;
};

/** The Nu Html Checker as a warm server. @throws UsageError with what to install, when it cannot run here */
export async function startNuEngine({ engine, javaExecutables, cores, ...options }: Options): Promise<HtmlEngine> {
  const found = await findJava(javaExecutables);
  if (!found.available) throw new UsageError(`${found.reason} ${found.install}`);
  const { java, jar } = found;
  const server = createNuServer({ java, jar, ...options });
  return {
    engine,
    concurrency: server.concurrency,
    async check(document, signal, { alone = false } = {}) {
      // A file that cannot be read fails by itself, as it does where a child process reads it.
      const read = await readDocument(document).catch((error: Error) => ({
        engineError: `nu failed: ${error.message}`,
      }));
      if ("engineError" in read) return read;
      const release = await cores.acquire(signal);
      return server.check(read, signal, { alone }).finally(release);
    },
    close: () => server.close(),
  };
}

/** Whether it can run on this machine. */
export async function canRunNu(javaExecutables: readonly string[]): Promise<boolean> {
  return (await findJava(javaExecutables)).available;
}
