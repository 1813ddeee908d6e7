import { UsageError } from "../../../domain/errors.ts";
import type { Engine } from "../../../domain/findings.ts";
import { findJava } from "../nu/find-java.ts";
import { createNuServer, type NuOptions } from "../nu/server.ts";
import type { HtmlEngine } from "./port.ts";
import { readDocument } from "./read-document.ts";

type Options = Pick<NuOptions, "log" | "timeoutMs" | "heapMb" | "parallel"> & {
  engine: Engine;
  /** Where Java may be (config.ts). */
  javaExecutables: readonly string[];
};

/** The Nu Html Checker as a warm server. @throws UsageError with what to install, when it cannot run here */
export async function startNuEngine({ engine, javaExecutables, ...options }: Options): Promise<HtmlEngine> {
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
      return "engineError" in read ? read : server.check(read, signal, { alone });
    },
    close: () => server.close(),
  };
}

/** Whether it can run on this machine. */
export async function canRunNu(javaExecutables: readonly string[]): Promise<boolean> {
  return (await findJava(javaExecutables)).available;
}
