import type { LocalNode } from "./node.ts";

type EnvironmentEntry = { name: string; value?: string; valueFrom?: unknown };
type SecretKeyRef = { name: string; key: string; optional?: boolean };

/** Resolves a container's environment and its references, or returns a message about the first missing one. */
export function resolveEnvironment(
  entries: readonly EnvironmentEntry[],
  { secrets }: Pick<LocalNode, "secrets">,
): { env: Record<string, string>; missing?: never } | { env?: never; missing: string } {
  const env: Record<string, string> = {};
  for (const { name, value = "", valueFrom } of entries) {
    const reference = (valueFrom as { secretKeyRef?: SecretKeyRef } | undefined)?.secretKeyRef;
    const resolved = valueFrom ? reference && secrets.get(reference.name)?.data[reference.key] : value;
    if (resolved === undefined && reference?.optional) continue;
    if (resolved === undefined) return { missing: missingSentence(name, reference) };
    env[name] = resolved;
  }
  return { env };
}

function missingSentence(variable: string, reference: SecretKeyRef | undefined): string {
  if (!reference) return `The local cluster cannot resolve the value of ${variable}.`;
  return `There is no Secret ${reference.name} with the key ${reference.key}, which ${variable} refers to.`;
}
