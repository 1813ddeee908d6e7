import { getCompileCacheDir } from "node:module";
import path from "node:path";
import type { Config } from "../../config.ts";
import { moduleFile } from "../../files/own-modules.ts";

const ENTRY = moduleFile("../index", import.meta.url);

/**
 * Depending on the machine's memory, V8 lets new objects take up to 134 MB before it frees them: a crawler of 30,000
 * pages took 287 MB, of which 20 MB were in use. With 16 MB per semi-space it takes 225 MB, and no more CPU time. In a
 * container V8 goes by the container's limit.
 */
const MEMORY_OPTIONS = ["--max-semi-space-size=16"];

/** The only variables of this process that its Jobs inherit. */
const INHERITED_VARIABLES = [
  "PATH",
  "JAVA_HOME",
  "HOME",
  "LANG",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

/** The process of a Job of this machine, for the arguments of its container. */
export function jobCommand(args: string[]): { file: string; args: string[] } {
  return { file: process.execPath, args: [...MEMORY_OPTIONS, ENTRY, ...args] };
}

type Options = {
  config: Pick<Config, "cacheDir" | "urlListFile">;
  /** This process's own. */
  environment: NodeJS.ProcessEnv;
  /** TMPDIR of the Jobs. */
  temp: string;
};

/** What the process of every Job has in its environment. None of it is secret. */
export function jobEnvironment({ environment, config, temp }: Options): Record<string, string> {
  const passed = INHERITED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const compiled = getCompileCacheDir();
  return {
    ...Object.fromEntries(passed),
    TMPDIR: temp,
    CACHE_DIR: config.cacheDir,
    ...(config.urlListFile !== undefined && { URL_LIST_FILE: config.urlListFile }),
    // Left out if this process could not create the folder (index.ts): every Job would try again. Node adds its version.
    ...(compiled !== undefined && { NODE_COMPILE_CACHE: path.dirname(compiled) }),
  };
}
