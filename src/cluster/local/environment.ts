import type { LocalNode } from "./node.ts";

type EnvironmentEntry = { name: string; value?: string; valueFrom?: unknown };
type SecretKeyRef = { name: string; key: string; optional?: boolean };
type Container = { args: readonly string[]; env?: readonly EnvironmentEntry[] };
type Resolved = { args: string[]; env: Record<string, string>; missing?: never };

/**
 * Resolves a container's arguments and environment as the kubelet does, or returns a message about the
 * first reference that is missing.
 */
export function resolveContainer(
  { args, env: entries = [] }: Container,
  { secrets }: Pick<LocalNode, "secrets">,
): Resolved | { args?: never; env?: never; missing: string } {
  const env: Record<string, string> = {};
  for (const { name, value = "", valueFrom } of entries) {
    const reference = (valueFrom as { secretKeyRef?: SecretKeyRef } | undefined)?.secretKeyRef;
    // A Secret's value is used unchanged; other values may refer to the variables before them.
    const resolved = valueFrom ? reference && secrets.get(reference.name)?.data[reference.key] : expand(value, env);
    if (resolved === undefined && reference?.optional) continue;
    if (resolved === undefined) return { missing: missingSentence(name, reference) };
    env[name] = resolved;
  }
  return { args: args.map((text) => expand(text, env)), env };
}

/**
 * Replaces `$(NAME)` by the variable's value, and `$$` by `$`; what names no variable stays as it is
 * (https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container).
 */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (found, name?: string) => {
    if (name === undefined) return "$";
    return Object.hasOwn(env, name) ? (env[name] ?? found) : found;
  });
}

function missingSentence(variable: string, reference: SecretKeyRef | undefined): string {
  if (!reference) return `The local cluster cannot resolve the value of ${variable}.`;
  return `There is no Secret ${reference.name} with the key ${reference.key}, which ${variable} refers to.`;
}
