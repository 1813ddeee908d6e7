import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Serves a folder of files on loopback from a separate process, so that it does not share the
 * event loop of the measured code. Files are kept in memory after their first request.
 */
export async function startStaticServer(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["serve", path.resolve(folder)]);
  const [port] = (await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error("The static server did not start."))),
  ])) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".js": "text/javascript",
};

function serve(folder: string): void {
  const files = new Map<string, Promise<Buffer>>();
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = path.join(folder, path.normalize(name.endsWith("/") ? `${name}index.html` : name));
    const body = files.get(file) ?? readFile(file);
    files.set(file, body);
    try {
      const content = await body;
      response.writeHead(200, {
        "content-type": types[path.extname(file)] ?? "application/octet-stream",
        "content-length": content.length,
      });
      response.end(content);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    }
  });
  // Exit when the parent exits, however that happens.
  process.once("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === "serve") serve(process.argv[3] ?? ".");
