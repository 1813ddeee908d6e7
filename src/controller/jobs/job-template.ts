import { parse } from "yaml";
import { UsageError } from "../../domain/errors.ts";
import type { JobTemplate } from "./pod.ts";

/**
 * Reads what is merged into the pods of Jobs.
 *
 * @param text YAML
 * @param name of the file, for messages
 * @throws UsageError when it is not YAML, or Jobs would lack their database
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
