import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { findVnuJar, VNU_PACKAGE } from "../vnu-jar.ts";

/** Whether the Nu Html Checker can run here, and with what. */
export type NuAvailability =
  | {
      available: true;
      /** The executable. */
      java: string;
      /** The Nu Html Checker's jar. */
      jar: string;
      /** The version of the Nu Html Checker. */
      version: string;
    }
  | { available: false; reason: string /** What to do about it, a sentence. */; install: string };

/** The class files of the jar are of version 61. @see JVM Specification, table 4.1-A */
const MIN_JAVA = 17;
/** Half a second is usual; on a machine that is overloaded, many times that. */
const VERSION_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Finds the Java and the jar of the Nu Html Checker. Never throws.
 *
 * @param executables where Java may be, the first usable one is taken (`javaExecutables` in config.ts)
 */
export async function findJava(executables: readonly string[]): Promise<NuAvailability> {
  const found = await findVnuJar();
  if (found === undefined)
    return {
      available: false,
      reason: `The npm package ${VNU_PACKAGE} is not installed.`,
      install: "Run npm ci without --omit=optional.",
    };
  const refused: string[] = [];
  for (const java of executables) {
    if (!(await isFile(java))) continue;
    const version = await versionOf(java);
    if (typeof version === "number" && version >= MIN_JAVA) return { available: true, java, ...found };
    refused.push(typeof version === "number" ? `${java} is Java ${version}` : `${java} ${version.failed}`);
  }
  const why = refused.length > 0 ? refused.join("; ") : "no Java was found by JAVA_HOME or in PATH";
  return {
    available: false,
    reason: `The Nu Html Checker needs Java ${MIN_JAVA} or newer: ${why}.`,
    install:
      `Install a headless Java runtime, version ${MIN_JAVA} or newer (Debian: apt-get install openjdk-17-jre-headless), ` +
      "or set JAVA_HOME to the folder of one.",
  };
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The major version of a Java, or why it is not known. */
function versionOf(java: string): Promise<number | { failed: string }> {
  return new Promise((resolve) => {
    const options = {
      env: {},
      timeout: VERSION_TIMEOUT_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_OUTPUT_BYTES,
    } as const;
    execFile(java, ["-version"], options, (error, stdout, stderr) => {
      // Before Java 9 the version was 1.8, now it is 17.0.15 or 26-ea.
      const [, first, second] = /^\w+ version "(\d+)(?:\.(\d+))?/m.exec(`${stderr}\n${stdout}`) ?? [];
      if (!error && first !== undefined) return resolve(Number(first === "1" ? second : first));
      resolve({ failed: error ? failureOf(error) : `does not print a version, but ${quote(stderr || stdout)}` });
    });
  });
}

function failureOf(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "prints more than a version";
  if (error.killed) return `did not print its version within ${VERSION_TIMEOUT_MS / 1000} seconds`;
  return `cannot be started (${quote(error.message)})`;
}

function quote(text: string): string {
  return JSON.stringify(text.trim().slice(0, 200));
}
