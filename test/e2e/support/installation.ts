import { type IncomingHttpHeaders, request } from "node:http";
import {
  chartValues,
  createNamespace,
  chart as currentChart,
  deleteNamespaces,
  getJson,
  helm,
  isOwnNamespace,
  kubectl,
  poll,
} from "./commands.ts";

/** Where the cluster's ingress controller listens. */
const [ingressHost = "", ingressPort = ""] = (process.env.INGRESS_ADDRESS ?? "127.0.0.1:8088").split(":");
export const ingress = { host: ingressHost, port: ingressPort || 80 };

/** The host of an installation: several may be there at the same time. */
const hostOf = ({ release }: Pick<Installation, "release">) => `${release}.validator.test`;
let current = "";
/** The host of the installation that this file made or upgraded last. */
export const host = () => current;

/** The chart in a namespace of its own. */
export type Installation = { namespace: string; release: string; fullname: string };

export type Reply<Body> = { status: number; headers: IncomingHttpHeaders; body: Body };

type Options = {
  /** The chart's folder or package; this checkout's when left out. */
  chart?: string;
  /** Values besides test/e2e/values.yaml. */
  set?: readonly string[];
  /** The deployments to wait for; both when left out. */
  waitFor?: readonly string[];
};

/** Installs the chart in a namespace of its own, to the end of the rollouts. */
export async function install(release: string, options: Options = {}): Promise<Installation> {
  const installation = { namespace: release, release, fullname: `${release}-site-validator` };
  await createNamespace(installation.namespace);
  await upgrade(installation, options);
  return installation;
}

/** `helm upgrade --install`, to the end of the rollouts, and until the API responds at its host. */
export async function upgrade(
  { namespace, release, fullname }: Installation,
  { chart = currentChart, set = [], waitFor = ["api", "controller"] }: Options = {},
): Promise<void> {
  current = hostOf({ release });
  const sets = [`ingress.hosts[0].host=${current}`, ...set].flatMap((value) => ["--set", value]);
  // This installation adopts the CRDs that an earlier one kept.
  const flags = ["--install", "--take-ownership", "--namespace", namespace];
  // The native test cluster has its resolver beside its pods, not in one.
  flags.push("--set-json", "networkPolicy.dnsPeers=[]");
  await helm(["upgrade", release, chart, ...flags, ...chartValues(), ...sets]);
  await rolledOut({ namespace, release, fullname }, waitFor);
  // The ingress controller may hear of a host later than its pods are ready.
  await poll(async () => (await throughIngress("/api/v1/reports")).status === 401);
}

/** Waits for the end of rollouts. @throws with the end of the pods' logs, if they do not end */
export async function rolledOut(
  { namespace, fullname }: Installation,
  components: readonly string[] = ["api", "controller"],
): Promise<void> {
  for (const component of components) {
    const deployment = `deployment/${fullname}-${component}`;
    try {
      await kubectl(["rollout", "status", "-n", namespace, deployment, "--timeout=180s"]);
    } catch (error) {
      throw new Error(`${deployment} does not become ready.\n${await diagnosis(namespace, fullname)}`, {
        cause: error,
      });
    }
  }
}

/** Removes an installation, however far it got, and its namespace, unless these tests did not create it. */
export async function remove(release: string): Promise<void> {
  if (!(await isOwnNamespace(release))) return;
  const uninstall = ["uninstall", release, "--namespace", release, "--ignore-not-found"];
  // The hook removes the finalizers of Reports, which would keep the namespace; it may fail in a broken installation.
  await helm([...uninstall, "--timeout", "90s"]).catch(() => helm([...uninstall, "--no-hooks"]));
  await deleteNamespaces(release);
}

/** The state of the pods, and the end of each log. */
async function diagnosis(namespace: string, fullname: string): Promise<string> {
  const look = (args: readonly string[]) => kubectl(args).catch((error: Error) => error.message);
  const parts = [
    await look(["get", "pods", "-n", namespace, "-o", "wide"]),
    await look(["get", "events", "-n", namespace, "--field-selector=type=Warning", "--sort-by=.lastTimestamp"]),
  ];
  for (const component of ["api", "controller"])
    parts.push(
      await look([
        ...["logs", "-n", namespace, "-l", `app.kubernetes.io/component=${component}`],
        ...["--all-containers", "--prefix", "--tail=15"],
      ]),
    );
  return `${fullname}:\n${parts.join("\n")}`;
}

/** One key of a Secret of the installation. */
export async function readSecret({ namespace, fullname }: Installation, name: string, key: string): Promise<string> {
  const { data } = await getJson<{ data: Record<string, string> }>(["secret", "-n", namespace, `${fullname}-${name}`]);
  return Buffer.from(data[key] ?? "", "base64").toString();
}

/** A JSON request through the Ingress. */
export function throughIngress<Body = unknown>(
  path: string,
  options: { method?: string; token?: string; body?: unknown } = {},
): Promise<Reply<Body>> {
  const { method = "GET", token, body } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...ingress,
        path,
        method,
        headers: {
          Host: host(),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/vnd.api+json" }),
        },
        timeout: 30_000,
      },
      (response) => {
        const parts: string[] = [];
        response.setEncoding("utf8").on("data", (part: string) => parts.push(part));
        response.once("end", () => {
          const text = parts.join("");
          let parsed: unknown = text;
          if (response.headers["content-type"]?.includes("json")) parsed = JSON.parse(text || "null");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed as Body });
        });
      },
    );
    outgoing.once("timeout", () => outgoing.destroy(new Error(`${method} ${path}: no response in 30 s`)));
    outgoing.once("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The first account's id: asked of the bundled database, since no API call returns it. */
export function accountOf(installation: Installation): Promise<string> {
  return query(installation, "select id from accounts order by inserted_at, id limit 1");
}

/** Queries the bundled database. @returns psql's unformatted output */
export async function query({ namespace, fullname }: Installation, sql: string): Promise<string> {
  const psql = ["psql", "-h", "/var/run/postgresql", "-U", "sitevalidator", "-d", "sitevalidator", "-Atc", sql];
  return (await kubectl(["exec", "-n", namespace, `statefulset/${fullname}-postgresql`, "--", ...psql])).trim();
}
