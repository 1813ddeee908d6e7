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

  const text = (name: string) => readFile(path.join(folder, name), "utf8");

  async function read(): Promise<Files> {
    if (known && clock() - known.readAt < REREAD_MS) return known.files;
    try {
      const [token, authority] = await Promise.all([text("token"), text("ca.crt")]);
      // A token in an error's message would be logged, as undici's for a header with such characters.
      if (!/^[\x21-\x7e]+\s*$/.test(token)) throw new Error(`${path.join(folder, "token")} has no token.`);
      known = { files: { token: token.trim(), authority }, readAt: clock() };
    } catch (error) {
      // The last token is valid for a while. The next request tries again.
      if (!known) throw error;
    }
    return known.files;
  }

  return {
    server,
    async credentials(_url, { reuse }) {
      const { token, authority } = await read();
      const headers = { Authorization: `Bearer ${token}` };
      if (!reuse) return { headers, dispatcher: agentFor(authority) };
      // The old dispatcher is not closed: a request that begins now may use it. Its connections end when idle.
      if (kept?.authority !== authority) kept = { authority, dispatcher: agentFor(authority) };
      return { headers, dispatcher: kept.dispatcher };
    },
  };
}

/** As client-go does, it keeps quiet connections alive: a load balancer may drop them after 60 s, which is undici's interval. */
function agentFor(authority: string): Agent {
  return new Agent({ connect: { ca: authority, keepAlive: true, keepAliveInitialDelay: 30_000 } });
}
