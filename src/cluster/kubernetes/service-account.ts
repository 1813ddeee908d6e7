import { readFile } from "node:fs/promises";
import path from "node:path";
import { Agent } from "undici";
import type { ApiServerConfig } from "./api-server-config.ts";

/** The kubelet renews a token long before it expires; client-go reads it as often. */
const REREAD_MS = 60_000;

type Files = { token: string; authority: string };

/**
 * The API server of a pod's cluster, with the pod's service account (Kubernetes documentation, "Accessing the Kubernetes
 * API from a Pod"). The client library would do the same, but takes 50 MB of memory.
 *
 * @param options.folder has the files `token` and `ca.crt`, which the kubelet keeps up to date
 * @param clock milliseconds that never decrease
 */
export function fromServiceAccount(
  { server, folder }: { server: string; folder: string },
  clock: () => number = () => performance.now(),
): ApiServerConfig {
  let known: { files: Files; readAt: number } | undefined;
  let kept: { authority: string; dispatcher: Agent } | undefined;

  async function read(): Promise<Files> {
    if (known && clock() - known.readAt < REREAD_MS) return known.files;
    const [token, authority] = await Promise.all(
      ["token", "ca.crt"].map((name) => readFile(path.join(folder, name), "utf8")),
    );
    const files = { token: token?.trim() ?? "", authority: authority ?? "" };
    known = { files, readAt: clock() };
    return files;
  }

  return {
    server,
    async credentials(_url, { reuse }) {
      const { token, authority } = await read();
      const headers = { Authorization: `Bearer ${token}` };
      if (!reuse) return { headers, dispatcher: connect(authority) };
      // The old dispatcher is not closed: a request that begins now may use it. Its connections end when idle.
      if (kept?.authority !== authority) kept = { authority, dispatcher: connect(authority) };
      return { headers, dispatcher: kept.dispatcher };
    },
  };
}

function connect(authority: string): Agent {
  return new Agent({ connect: { ca: authority } });
}
