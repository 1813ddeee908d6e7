import type { EnvironmentEntry } from "./pod-spec.ts";

/**
 * Text that the kubelet passes to a container as it is. In arguments and in the values of variables it
 * replaces `$(NAME)` by the value of the variable NAME, even a secret one, and `$$` by `$`. So every `$` is
 * doubled (https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/).
 */
export function escapeVariableReferences(text: string): string {
  return text.replaceAll("$", () => "$$");
}

/** Variables whose values are passed as they are. References to Secrets are never expanded. */
export function escapeEnvironment(entries: readonly EnvironmentEntry[]): EnvironmentEntry[] {
  return entries.map((entry) =>
    entry.value === undefined ? entry : { ...entry, value: escapeVariableReferences(entry.value) },
  );
}
