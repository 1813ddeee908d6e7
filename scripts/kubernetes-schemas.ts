import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseAllDocuments } from "yaml";

/**
 * Writes the JSON schemas for kubeconform, one file per kind:
 *
 *   node scripts/kubernetes-schemas.ts OUT SWAGGER.json CRD.yaml...
 *
 * from the OpenAPI document that Kubernetes publishes and from CustomResourceDefinitions.
 * Unknown fields are refused, as a strict API server does.
 */
type Schema = { [name: string]: unknown };
type Kind = { group: string; version: string; kind: string };

const [out = "", swagger = "", ...crds] = process.argv.slice(2);
if (!out || !swagger) {
  console.error("usage: kubernetes-schemas.ts OUT SWAGGER.json [CRD.yaml...]");
  process.exit(2);
}
await mkdir(out, { recursive: true });

const text = {
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": true,
  "io.k8s.apimachinery.pkg.api.resource.Quantity": true,
};
const { definitions } = JSON.parse(await readFile(swagger, "utf8")) as { definitions: Record<string, Schema> };
const strict = Object.fromEntries(
  Object.entries(definitions).map(([name, schema]) => [
    name,
    name in text ? { type: ["string", "number"] } : close(schema),
  ]),
);
for (const [name, schema] of Object.entries(definitions)) {
  const kinds = (schema["x-kubernetes-group-version-kind"] ?? []) as Kind[];
  for (const kind of kinds) await write(kind, { ...(strict[name] as Schema), definitions: reachable(name) });
}

for (const file of crds) {
  for (const document of parseAllDocuments(await readFile(file, "utf8"))) {
    const crd = document.toJS() as {
      spec: {
        group: string;
        names: { kind: string };
        versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
      };
    } | null;
    for (const version of crd?.spec.versions ?? []) {
      const { openAPIV3Schema } = version.schema;
      const properties = { apiVersion: {}, kind: {}, metadata: {}, ...(openAPIV3Schema.properties as Schema) };
      const kind = { group: crd?.spec.group ?? "", version: version.name, kind: crd?.spec.names.kind ?? "" };
      await write(kind, close({ ...openAPIV3Schema, properties }) as Schema);
    }
  }
}

/** kubeconform's name for a kind: `deployment-apps-v1`, `pod-v1`. */
async function write({ group, version, kind }: Kind, schema: Schema): Promise<void> {
  const name = [kind.toLowerCase(), group.split(".")[0], version].filter((part) => part).join("-");
  await writeFile(path.join(out, `${name}.json`), JSON.stringify(schema));
}

/** The same schema, but it refuses unknown fields, and accepts null for optional ones, as the API does. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (schema === null || typeof schema !== "object") return schema;
  const closed: Schema = {};
  for (const [name, value] of Object.entries(schema)) {
    // Go's regular expressions and formats may be invalid in JSON Schema.
    if (name === "format" && typeof value === "string") continue;
    closed[name] = close(value);
  }
  if (closed["x-kubernetes-int-or-string"] === true) return { type: ["string", "integer"] };
  const open = closed["x-kubernetes-preserve-unknown-fields"] === true;
  if (typeof closed.properties === "object" && closed.type === "object" && !open) closed.additionalProperties ??= false;
  return closed;
}

/** The definitions that a schema refers to, and those that they refer to. */
function reachable(name: string, found: Record<string, unknown> = {}): Record<string, unknown> {
  for (const [, next = ""] of JSON.stringify(strict[name]).matchAll(/"#\/definitions\/([^"]+)"/g)) {
    if (next in found) continue;
    found[next] = strict[next];
    reachable(next, found);
  }
  return found;
}
