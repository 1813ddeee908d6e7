import type { ServerResponse } from "node:http";
import { KubeConfig } from "@kubernetes/client-node";
import { expect } from "chai";
import { fetch } from "undici";
import { follow } from "../../../src/cluster/follow.ts";
import { fromKubeConfig } from "../../../src/cluster/kubernetes/kubeconfig.ts";
import {
  createKubernetesCluster,
  type KubernetesClusterOptions,
} from "../../../src/cluster/kubernetes/kubernetes-cluster.ts";
import { type Cluster, ClusterError, type WatchEvent } from "../../../src/cluster/port.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { reportResource } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { type Site, serveSite } from "../../support/site.ts";

/** The part that both forms of "too old" have. */
const status = { kind: "Status", status: "Failure", reason: "Expired", code: 410, message: "too old resource version" };

/**
 * Faults that a real API server does not show on request, as seen in its protocol
 * (Kubernetes API concepts: "Efficient detection of changes", "Retrieving large result
 * sets in chunks"). What it does by itself is in the conformance suite.
 */
describe("the kubernetes cluster's lists and watches", () => {
  let server: Site | undefined;
  /** Breaks the connection of the latest response. */
  let cut = () => {};

  let stop: AbortController;

  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await server?.close();
  });

  /** An API server that gives these responses in turn, and then none; or one for each query. */
  async function serve(
    answers: Answer[] | ((query: URLSearchParams) => Answer),
    options?: KubernetesClusterOptions,
  ): Promise<Cluster> {
    server = await serveSite({
      "*"(request, response) {
        cut = () => response.destroy();
        const query = new URLSearchParams(request.url?.split("?")[1]);
        const answer = typeof answers === "function" ? answers(query) : answers.shift();
        return answer?.(response);
      },
    });
    return createKubernetesCluster(fromKubeConfig(configOf(server.origin)), options);
  }
  function configOf(origin: string): KubeConfig {
    const config = new KubeConfig();
    // Without skipTLSVerify the client refuses plain HTTP.
    config.loadFromClusterAndUser({ name: "fake", server: origin, skipTLSVerify: true }, { name: "nobody" });
    return config;
  }
  /** The query of each request, without the watches' time limit, which is random. */
  const asked = () =>
    (server?.requests ?? []).map(({ path }) => {
      const query = new URLSearchParams(path.split("?")[1]);
      query.delete("timeoutSeconds");
      return Object.fromEntries(query);
    });
  const watching = (resourceVersion: string) => ({ watch: "true", allowWatchBookmarks: "true", resourceVersion });

  it("joins the pages of a list, with the version of the whole", async () => {
    const cluster = await serve([page(["a", "b"], "10", "more-1"), page(["c"], "10", "more-2"), page(["d"], "10")]);
    const { items, resourceVersion } = await cluster.list("Report", { namespace: "default", labels: { app: "x" } });
    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).to.deep.equal(
      ["a", "b", "c", "d"].map((name) => `Report ${name}`),
    );
    expect(resourceVersion).to.equal("10");
    const first = { limit: "500", labelSelector: "app=x" };
    expect(asked()).to.deep.equal([first, { ...first, continue: "more-1" }, { ...first, continue: "more-2" }]);
  });

  it("starts a list again, without pages, when its pages are too old to be continued", async () => {
    const cluster = await serve([page(["a", "b"], "10", "more"), gone(), page(["b", "c"], "90")]);
    const { items, resourceVersion } = await cluster.list("Report");
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(["b", "c"]);
    expect(resourceVersion).to.equal("90");
    expect(asked()).to.deep.equal([{ limit: "500" }, { limit: "500", continue: "more" }, {}]);
  });

  it("asks for a state that is not older than a version without pages, which would be the newest", async () => {
    const cluster = await serve([page(["a"], "12")]);
    await cluster.list("Report", { labels: { app: "x" }, notOlderThan: "11" });
    const query = { labelSelector: "app=x", resourceVersion: "11", resourceVersionMatch: "NotOlderThan" };
    expect(asked()).to.deep.equal([query]);
  });

  it("delivers changes and bookmarks, however the lines arrive", async () => {
    const text = lines(event("ADDED", "a", "11"), bookmark("20"), event("DELETED", "a", "21"));
    const cluster = await serve([stream([text.slice(0, 30), text.slice(30, -10), text.slice(-10)], "end")]);
    const events = await collect(cluster, "10");
    expect(events.map(say)).to.deep.equal(["ADDED a 11", "BOOKMARK 20", "DELETED a 21"]);
    expect(asked()).to.deep.equal([watching("10")]);
  });

  for (const [name, answer] of [
    ["at the start", gone()],
    ["in the middle of its stream", stream([lines(event("ADDED", "a", "11"), expired())], "hold")],
  ] as const) {
    it(`ends with Expired when a watch's version is too old ${name}`, async () => {
      const cluster = await serve([answer]);
      const error = await collect(cluster, "10").catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Expired");
    });
  }

  it("ends when the connection is lost, with all that came before", async () => {
    const cluster = await serve([stream([lines(event("ADDED", "a", "11"))], "hold")]);
    const events = await collect(cluster, "10", () => cut());
    expect(events.map(say)).to.deep.equal(["ADDED a 11"]);
  });

  it("may be left at any time: their connection's end concerns nobody any more", async () => {
    const cluster = await serve([stream([lines(event("ADDED", "a", "11"), event("ADDED", "b", "12"))], "hold")]);
    for await (const _ of cluster.watch("Report", { resourceVersion: "10", signal: stop.signal })) {
      stop.abort();
      break;
    }
    // An error event without a listener would end the process before this.
    await new Promise(setImmediate);
  });

  it("use their connections again", async () => {
    const versions = ["10", "11", "12", "13", "14", "15"];
    const answers = versions.map((version) => page(["a"], version));
    const connections = new Set<number | undefined>();
    server = await serveSite({
      "*"(request, response) {
        connections.add(request.socket.remotePort);
        return answers.shift()?.(response);
      },
    });
    const cluster = createKubernetesCluster(fromKubeConfig(configOf(server.origin)));
    for (const version of versions) expect((await cluster.list("Report")).resourceVersion).to.equal(version);
    // The next request may come before the last one's connection is free again.
    expect(connections.size).to.be.lessThan(3);
  });

  it("do not fail a request that begins while the settings of its connections change", async () => {
    server = await serveSite({ "*": (_, response) => page(["a"], "10")(response) });
    const config = configOf(server.origin);
    const { credentials } = fromKubeConfig(config);
    const before = await credentials(server.origin, { reuse: true });
    // As when the certificate of the cluster's authority is rotated between a request's preparation and its start.
    config.clusters = config.clusters.map((cluster) => ({ ...cluster, tlsServerName: "another" }));
    const after = await credentials(server.origin, { reuse: true });
    expect(after.dispatcher).not.to.equal(before.dispatcher);
    for (const { dispatcher } of [before, after])
      expect((await fetch(server.origin, dispatcher && { dispatcher })).status).to.equal(200);
  });

  it("does not deliver an incomplete line", async () => {
    const half = lines(event("ADDED", "b", "12")).slice(0, 40);
    const cluster = await serve([stream([lines(event("ADDED", "a", "11")), half], "end")]);
    expect((await collect(cluster, "10")).map(say)).to.deep.equal(["ADDED a 11"]);
  });

  it("ends a watch that gets no response", async () => {
    const cluster = await serve([() => {}], { silenceMs: 50 });
    expect(await collect(cluster, "10")).to.deep.equal([]);
  });

  it("ends a watch that falls silent, and the next one starts from its bookmark", async () => {
    // By version, not in turn: on a slow machine a connection may count as silent before its first line.
    const cluster = await serve(
      (query) => {
        if (!query.has("watch")) return page(["a"], "10");
        const line = query.get("resourceVersion") === "10" ? bookmark("20") : event("ADDED", "b", "21");
        return stream([lines(line)], "hold");
      },
      { silenceMs: 100 },
    );
    await follow(cluster, "Report", stop.signal, { log: testLog, onList: () => {}, onEvent: () => stop.abort() });
    expect(asked().at(-1)).to.deep.equal(watching("20"));
  });

  it("are resumed from the last event or bookmark, and listed again when that is too old", async () => {
    const cluster = await serve([
      page(["a"], "10"),
      stream([lines(event("MODIFIED", "a", "11"), bookmark("20"))], "end"),
      stream([lines(event("ADDED", "b", "21"))], "hold"),
      stream([lines(event("DELETED", "b", "22"))], "end"),
      stream([lines(expired())], "end"),
      page(["a"], "90"),
      stream([lines(event("ADDED", "c", "91"))], "hold"),
    ]);
    const delivered: string[] = [];
    await follow(cluster, "Report", stop.signal, {
      log: testLog,
      onList: (items) => delivered.push(`all: ${items.map(({ metadata }) => metadata.name)}`),
      onEvent(type, { metadata }) {
        delivered.push(`${type} ${metadata.name}`);
        if (metadata.resourceVersion === "21") cut();
        if (metadata.name === "c") stop.abort();
      },
    });
    expect(delivered).to.deep.equal(["all: a", "MODIFIED a", "ADDED b", "DELETED b", "all: a", "ADDED c"]);
    const list = { limit: "500" };
    const versions = ["10", "20", "21", "22"].map(watching);
    expect(asked()).to.deep.equal([list, ...versions, list, watching("90")]);
  });
});

type Answer = (response: ServerResponse) => void;

function page(names: string[], resourceVersion: string, more?: string): Answer {
  return json(200, {
    kind: "ReportList",
    metadata: { resourceVersion, ...(more && { continue: more }) },
    // As in reality: items without their own kind.
    items: names.map((name) => ({ ...reportResource({}, { name }), kind: undefined, apiVersion: undefined })),
  });
}

function gone(): Answer {
  return json(410, status);
}

function json(code: number, body: object): Answer {
  return (response) => void response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A watch's response, in these chunks; then it ends or falls silent. */
function stream(chunks: string[], then: "end" | "hold"): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (const chunk of chunks) await new Promise((sent) => response.write(chunk, sent));
    if (then === "end") response.end();
  };
}

function lines(...events: object[]): string {
  return events.map((one) => `${JSON.stringify(one)}\n`).join("");
}

function event(type: "ADDED" | "MODIFIED" | "DELETED", name: string, resourceVersion: string): object {
  return { type, object: reportResource({}, { name, resourceVersion }) };
}

function bookmark(resourceVersion: string): object {
  return { type: "BOOKMARK", object: { kind: "Report", metadata: { resourceVersion, creationTimestamp: null } } };
}

function expired(): object {
  return { type: "ERROR", object: status };
}

/** Everything that a watch delivers until it ends by itself. */
async function collect(cluster: Cluster, resourceVersion: string, onEvent = () => {}) {
  const events: WatchEvent<ReportResource>[] = [];
  for await (const event of cluster.watch("Report", { resourceVersion, signal: new AbortController().signal })) {
    events.push(event);
    onEvent();
  }
  return events;
}

function say(event: WatchEvent<ReportResource>): string {
  if (event.type === "BOOKMARK") return `BOOKMARK ${event.resourceVersion}`;
  return `${event.type} ${event.object.metadata.name} ${event.object.metadata.resourceVersion}`;
}
