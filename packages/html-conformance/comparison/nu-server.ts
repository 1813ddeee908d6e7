import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findNuJar } from "../scripts/nu-jar.ts";

/** What the Nu checker says of a document, in its own words. */
export type NuMessage = {
  type: "error" | "info" | "non-document-error";
  subType?: "warning" | "fatal";
  lastLine?: number;
  lastColumn?: number;
  message: string;
  extract?: string;
};

export type NuServer = {
  version: string;
  check(source: string, contentType: string): Promise<NuMessage[]>;
  stop(): void;
};

const INSTALL = "It needs a Java runtime 17 or newer: in PATH, or in the folder that JAVA_HOME names.";
const START_MS = 60_000;
const CHECK_MS = 60_000;

/** The Nu checker cannot be run; the message says what is missing. */
export class NuUnavailable extends Error {}

/**
 * Starts the Nu checker of the npm package vnu-jar as an HTTP server on the loopback interface.
 *
 * @param address of one that runs already; it is not stopped
 * @throws NuUnavailable without Java or the package
 */
export async function startNu(address?: string): Promise<NuServer> {
  if (address !== undefined) return connect(new URL(address), undefined);
  const jar = findNuJar()?.jar;
  if (jar === undefined)
    throw new NuUnavailable("The npm package vnu-jar is not installed: npm ci without --omit=optional.");
  const java = process.env.JAVA_HOME ? path.join(process.env.JAVA_HOME, "bin", "java") : "java";
  const port = await freePort();
  const options = ["-Xmx700m", "-Dnu.validator.servlet.bind-address=127.0.0.1", "-Dnu.validator.datatype.warn=true"];
  const main = ["-cp", jar, "nu.validator.servlet.Main", String(port)];
  const child = spawn(java, [...options, ...main], { stdio: "ignore" });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (error) => reject(new NuUnavailable(`Java cannot be started (${error.message}). ${INSTALL}`)));
    child.once("exit", (code) =>
      reject(new NuUnavailable(`The Nu checker ended with code ${code} while it started. ${INSTALL}`)),
    );
  });
  failed.catch(() => {});
  return Promise.race([connect(new URL(`http://127.0.0.1:${port}/`), child), failed]);
}

async function connect(address: URL, child: ChildProcess | undefined): Promise<NuServer> {
  address.searchParams.set("out", "json");
  const ask = async (source: string, contentType: string): Promise<{ version: string; messages: NuMessage[] }> => {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": contentType },
      body: Buffer.from(source, "utf8"),
      signal: AbortSignal.timeout(CHECK_MS),
    });
    try {
      return (await response.json()) as { version: string; messages: NuMessage[] };
    } catch (error) {
      // There are documents on which Nu fails and ends its answer, or gives none.
      if (!(error instanceof SyntaxError)) throw error;
      return { version: "", messages: [{ type: "non-document-error", message: "Nu gave no answer." }] };
    }
  };
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      const { version } = await ask("<!DOCTYPE html><title>x</title>", "text/html; charset=utf-8");
      return {
        version,
        check: async (source, contentType) => (await ask(source, contentType)).messages,
        stop: () => void child?.kill(),
      };
    } catch (error) {
      if (Date.now() > until) throw new NuUnavailable(`The Nu checker does not answer at ${address.origin}: ${error}`);
      await delay(200);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
