import { parse } from "yaml";
import { UsageError } from "../../domain/errors.ts";
import type { JobTemplate } from "./pod-spec.ts";

/**
 * Reads the template that is merged into Jobs' pods.
 *
 * @param text YAML
 * @param name the file's name, for messages
 * @throws UsageError when it is not YAML, or has no DATABASE_URL for Jobs
 */
export function parseJobTemplate(text: string, name: string): JobTemplate {
  let template: JobTemplate | null;
  try {
    template = parse(text);
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as Error).message}`);
  }
  if (Array.isArray(template?.env) && template.env.some(({ name: variable }) => variable === "DATABASE_URL"))
    return template;
  throw new UsageError(`${name} has no DATABASE_URL in its env.`);
}
