import { Agent } from "undici";
import type { ApiServerConfig } from "../../src/cluster/kubernetes/api-server-config.ts";
import { type Site, serveSite } from "./site.ts";

type Lease = {
  kind?: string;
  metadata: { name: string; resourceVersion?: string; creationTimestamp?: string };
  spec: { holderIdentity?: string; leaseTransitions?: number };
};

/** The Leases of an API server, which several of its replicas share. */
export type LeaseStore = { lease?: Lease | undefined; version: number; created: number };

export type LeaseServer = {
  config: ApiServerConfig;
  /** From now on no request is answered. */
  hang(): void;
  answer(): void;
  close(): Promise<void>;
};

/** One replica of an API server that knows one Lease: GET, POST and PUT with optimistic concurrency. */
export async function serveLease(store: LeaseStore): Promise<LeaseServer> {
  let hanging = false;
  const site: Site = await serveSite({
    async "*"(request, response) {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (hanging) return;
      const [status, body] = handle(store, request.method ?? "", text === "" ? undefined : JSON.parse(text));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    },
  });
  const credentials = async (_url: string, { reuse }: { reuse: boolean }) => {
    if (reuse) throw new Error("An attempt that hangs would keep the next one from its connection.");
    return { headers: {}, dispatcher: new Agent() };
  };
  return {
    config: { server: site.origin, credentials },
    hang: () => {
      hanging = true;
    },
    answer: () => {
      hanging = false;
    },
    close: () => site.close(),
  };
}

function handle(store: LeaseStore, method: string, sent: Lease | undefined): [status: number, body: object] {
  const refuse = (code: number, reason: string): [number, object] => [
    code,
    { kind: "Status", reason, message: reason },
  ];
  if (method === "GET") return store.lease ? [200, store.lease] : refuse(404, "NotFound");
  if (sent?.kind !== "Lease") return refuse(400, "BadRequest");
  if (method === "POST" && store.lease) return refuse(409, "AlreadyExists");
  if (method === "PUT" && !store.lease) return refuse(404, "NotFound");
  if (method === "PUT" && store.lease?.metadata.resourceVersion !== sent.metadata.resourceVersion)
    return refuse(409, "Conflict");
  const creationTimestamp =
    store.lease?.metadata.creationTimestamp ?? new Date(store.created).toISOString().replace(/\.\d+/, "");
  const metadata = { ...sent.metadata, resourceVersion: String(++store.version), creationTimestamp };
  store.lease = { ...sent, metadata };
  return [method === "POST" ? 201 : 200, store.lease];
}
