import path from "node:path";
import type { Place } from "./application.ts";
import { answers } from "./processes.ts";

/** Serves a WSGI application with waitress, with a few threads. @param application module and name, such as `shop.wsgi:application` */
export async function serveWsgi(
  { port, processes, folder }: Place,
  venv: string,
  application: string,
  { env = {}, ready = "/" }: { env?: Record<string, string>; ready?: string } = {},
): Promise<void> {
  const command = [path.join(venv, "bin", "waitress-serve"), `--listen=127.0.0.1:${port}`, "--threads=4", application];
  processes.serve("python", command, { cwd: folder, env: { PYTHONPATH: folder, ...env } });
  await answers(`http://127.0.0.1:${port}${ready}`);
}
