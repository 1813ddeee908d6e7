import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import type { ApiServerConfig } from "../../src/cluster/kubernetes/api-server-config.ts";
import { type ApiServer, createApiServer } from "../../src/cluster/kubernetes/request.ts";
import { fromServiceAccount } from "../../src/cluster/kubernetes/service-account.ts";
import { eventually } from "../../test/support/wait.ts";

/**
 * The part of a Kubernetes that benchmarks need: etcd and an API server with our CRDs, each a process of this machine.
 * No controller of Kubernetes runs and there is no node: fake-node.ts plays both. The programs are those of
 * test/cluster/native, which builds them from Go modules.
 */
export type ControlPlane = {
  /** With the rights of an administrator. */
  config: ApiServerConfig;
  /** The same for programs: what a pod has in its environment. */
  environment: Record<string, string>;
  server: ApiServer;
  stop(): Promise<void>;
};

const root = path.resolve(import.meta.dirname, "../..");

/** @returns undefined, and says so, where its programs have not been built */
export async function startControlPlane(): Promise<ControlPlane | undefined> {
  const programs = nativePrograms();
  if (programs === undefined) {
    console.log(
      "NOT RUN: there is no API server; `test/cluster/native/build.sh kubernetes` builds one (needs Go 1.26).",
    );
    return undefined;
  }
  const folder = await mkdtemp(path.join(tmpdir(), "sv-bench-kubernetes-"));
  const children: ChildProcess[] = [];
  // Also when this process is interrupted: they would run on.
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL");
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const stop = async () => {
    for (const child of children.toReversed()) await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const token = randomBytes(16).toString("hex");
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const files = {
      "tokens.csv": `${token},admin,admin,system:masters\n`,
      "sa.pub": publicKey.export({ type: "spki", format: "pem" }).toString(),
      "sa.key": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text, { mode: 0o600 });
    const start = (name: string, args: string[]) => {
      const child = spawn(path.join(programs, name), args, { cwd: folder, stdio: "ignore" });
      children.push(child);
    };
    const etcd = `http://127.0.0.1:${etcdPort}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    start("etcd", [
      ...["--data-dir=etcd", "--unsafe-no-fsync", `--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
    ]);
    start("kube-apiserver", [
      ...[`--etcd-servers=${etcd}`, `--secure-port=${port}`, "--bind-address=127.0.0.1", "--cert-dir=certificates"],
      ...["--token-auth-file=tokens.csv", "--authorization-mode=RBAC", "--service-account-key-file=sa.pub"],
      ...["--service-account-signing-key-file=sa.key", "--service-account-issuer=https://kubernetes.default.svc"],
      // Service accounts and nodes are made by controllers that do not run here.
      ...["--service-cluster-ip-range=10.96.0.0/24", "--disable-admission-plugins=ServiceAccount"],
    ]);
    const certificate = path.join(folder, "certificates/apiserver.crt");
    const started = (look: () => unknown) =>
      eventually(
        async () => {
          const ended = children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
          if (ended) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode ?? ended.signalCode}.`);
          return (await look()) !== undefined;
        },
        { seconds: 300 },
      );
    await started(() => (existsSync(certificate) ? true : undefined));
    const serviceAccount = path.join(folder, "service-account");
    await mkdir(serviceAccount);
    await writeFile(path.join(serviceAccount, "token"), token, { mode: 0o600 });
    await copyFile(certificate, path.join(serviceAccount, "ca.crt"));
    const config = fromServiceAccount({ server: `https://127.0.0.1:${port}`, folder: serviceAccount });
    const server = createApiServer(config);
    const exists = (address: string) => started(() => server.request("GET", address).catch(() => undefined));
    await exists("/api/v1/namespaces/default");
    for (const plural of ["reports", "schedules"]) {
      await installCrd(server, plural);
      await exists(`/apis/sitevalidation.io/v1/${plural}`);
    }
    const environment = {
      ...{ KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) },
      SERVICE_ACCOUNT_DIR: serviceAccount,
    };
    return { config, environment, server, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The folder of the programs, if they are built from the sources as they are. */
function nativePrograms(): string | undefined {
  const script = path.join(root, "test/cluster/native/lib.sh");
  const given = ["-c", `HERE=${path.dirname(script)}; . ${script} >/dev/null; echo "$BIN"`];
  const folder = spawnSync("bash", given, { encoding: "utf8" }).stdout.trim();
  return ["etcd", "kube-apiserver"].every((name) => existsSync(path.join(folder, name))) ? folder : undefined;
}

async function installCrd(server: ApiServer, plural: string): Promise<void> {
  const crd = parse(await readFile(path.join(root, `crds/sitevalidation.io_${plural}.yaml`), "utf8"));
  await server.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: crd });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(timer);
}
