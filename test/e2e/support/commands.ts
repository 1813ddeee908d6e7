import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = path.resolve(import.meta.dirname, "../../..");

let built: string | undefined;
/** Where test/cluster/native has the programs that these tests need; "" if it cannot say. */
function builtFolder(): string {
  try {
    built ??= execFileSync("bash", ["-c", '. test/cluster/native/lib.sh; echo "$BIN"'], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    built = "";
  }
  return built;
}

/**
 * Runs a program to its end.
 *
 * @param options.timeoutMs when it is ended
 * @param options.show pass its stderr on as it comes: it takes long
 * @returns what it wrote to stdout
 * @throws an Error with all that it wrote, when it fails
 */
export function run(
  file: string,
  args: readonly string[],
  input = "",
  { timeoutMs = 300_000, show = false } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, PATH: [builtFolder(), process.env.PATH].filter(Boolean).join(path.delimiter) },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => err.push(text));
    if (show) child.stderr.pipe(process.stderr, { end: false });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(out.join(""));
      else
        reject(
          new Error(
            `${path.basename(file)} ${args.join(" ")} ended with ${code ?? signal}:\n${[...err, ...out].join("")}`,
          ),
        );
    });
    child.stdin.on("error", () => {}).end(input);
  });
}

/** kubectl on the test cluster; `input` is its stdin, for `apply -f -`. */
export function kubectl(args: readonly string[], input?: string): Promise<string> {
  return run("kubectl", args, input);
}

/** The error message of kubectl; undefined if it succeeds. */
export async function refusal(args: readonly string[], input?: string): Promise<string | undefined> {
  return kubectl(args, input).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** An object, or the items of a list, as the API server has it. */
export async function getJson<Type>(args: readonly string[]): Promise<Type> {
  return JSON.parse(await kubectl(["get", ...args, "-o", "json"])) as Type;
}

/** Marks a namespace as one of these tests, which may delete it. */
const ownLabel = "sitevalidation.io/test";

/** Creates a namespace that accepts only restricted pods; replaces one that an interrupted run left behind. */
export async function createNamespace(name: string): Promise<void> {
  await deleteLeftNamespace(name);
  const security = ["enforce", "warn", "audit"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]);
  const labels = Object.fromEntries([[ownLabel, "true"], ...security]);
  await kubectl(
    ["create", "-f", "-"],
    JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }),
  );
}

/** Whether the namespace exists and these tests created it. */
export async function isOwnNamespace(name: string): Promise<boolean> {
  return (await kubectl(["get", "namespaces", ...ownNamespace(name), "-o", "name"])) !== "";
}

/** Deletes a namespace that these tests created, and no other one of that name. Does not wait. */
export async function deleteNamespaces(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => kubectl(["delete", "namespaces", ...ownNamespace(name), "--wait=false"])));
}

function ownNamespace(name: string): string[] {
  return ["-l", ownLabel, `--field-selector=metadata.name=${name}`];
}

/** A namespace that these tests did not create stays, and cannot be created again. */
async function deleteLeftNamespace(name: string): Promise<void> {
  if (!(await isOwnNamespace(name))) return;
  await deleteNamespaces(name);
  // Nobody is left who would remove their finalizers.
  for (const resource of await heldResources(name))
    await kubectl(["patch", resource, "-n", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}']).catch(
      (error: Error) => {
        if (!error.message.includes("NotFound")) throw error;
      },
    );
  await kubectl(["wait", "--for=delete", `namespace/${name}`, "--timeout=120s"]);
}

/** Empty if the cluster does not know the kind: its CRD was deleted, and the resources with it. */
async function heldResources(namespace: string): Promise<string[]> {
  const kinds = "reports.sitevalidation.io,schedules.sitevalidation.io";
  const names = await kubectl(["get", kinds, "-n", namespace, "-o", "name"]).catch((error: Error) => {
    if (error.message.includes("the server doesn't have a resource type")) return "";
    throw error;
  });
  return names.split("\n").filter(Boolean);
}

/** Waits until `look` returns a value; calls it twice a second, since each call may start a program. */
export async function poll<Value>(look: () => Promise<Value | undefined | false>): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    await sleep(500);
  }
}

export function helm(args: readonly string[]): Promise<string> {
  return run("helm", args);
}

export const chart = "charts/site-validator";

/** Where this cluster gets an image (slim, browser, postgres) of test/cluster/images.sh from; its tag is "test". */
export function imageRepository(kind: string): string {
  return `${process.env.IMAGE_REGISTRY?.replace(/\/+$/, "") ?? "localhost"}/site-validator-${kind}`;
}

/** Values for this cluster: test/e2e/values.yaml, and the registry of a cluster that was given. */
export function chartValues(): string[] {
  const moved = process.env.IMAGE_REGISTRY
    ? [
        ...["slim", "browser"].map((kind) => `image.${kind}.repository=${imageRepository(kind)}`),
        `postgresql.image.repository=${imageRepository("postgres")}`,
        "image.pullPolicy=Always",
      ]
    : [];
  return ["--values", "test/e2e/values.yaml", ...moved.flatMap((value) => ["--set", value])];
}
