import type { Place } from "./application.ts";
import { answers } from "./processes.ts";

/** Serves a folder with PHP's built-in server, with a few workers. */
export async function servePhp(
  { port, processes, folder }: Place,
  root: string,
  {
    settings = {},
    env = {},
    ready = "/",
  }: { settings?: Record<string, string>; env?: Record<string, string>; ready?: string } = {},
): Promise<void> {
  processes.serve("php", ["php", ...phpSettings(settings), "-S", `127.0.0.1:${port}`, "-t", root], {
    env: { PHP_CLI_SERVER_WORKERS: "4", TMPDIR: folder, ...env },
  });
  await answers(`http://127.0.0.1:${port}${ready}`);
}

/** Settings as arguments of `php`. */
export function phpSettings(settings: Record<string, string>): string[] {
  const all = { memory_limit: "512M", display_errors: "0", log_errors: "0", "opcache.enable_cli": "1", ...settings };
  return Object.entries(all).flatMap(([name, value]) => ["-d", `${name}=${value}`]);
}
