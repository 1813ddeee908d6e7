import { spawn } from "node:child_process";
import { once } from "node:events";
import { bundledEntry } from "./entry.ts";

/** Starts the service as npm start does, without limits of what a report may ask for; resolves when it has printed its address. */
export async function startService(dataDir: string, environment: NodeJS.ProcessEnv = {}) {
  const token = "svt_bench-only-0123456789abcdef0123456789abcdef";
  const child = spawn(process.execPath, [await bundledEntry(), "standalone"], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: "0",
      FIRST_TOKEN: token,
      MAX_PAGES: "0",
      MAX_RATE_LIMIT: "0",
      REQUESTS_PER_MINUTE: "0",
      LOG_LEVEL: "warn",
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /listens on (\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    ended.then(() => reject(new Error("The service did not start.")));
  });
  return { child, ended, url, token };
}
