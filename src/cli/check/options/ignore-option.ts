import { parse } from "yaml";
import { UsageError } from "../../../domain/errors.ts";
import { readConfigData } from "./config-data.ts";
import type { IgnoreEntry } from "./ignore-schema.ts";

/**
 * The values of `--ignore`: each is the name of a rule or, in braces, an entry as a configuration file has it.
 *
 * @throws UsageError that says which one is wrong
 */
export function ignoreOfTexts(texts: readonly string[]): readonly IgnoreEntry[] {
  const ignore = texts.map((text, index) => {
    if (!text.trimStart().startsWith("{")) return { rule: text };
    try {
      return parse(text, { logLevel: "error" }) as unknown;
    } catch (error) {
      const what = (error as Error).message.split("\n")[0]?.replace(/ at line .*$/, "");
      throw new UsageError(
        `--ignore number ${index + 1} is ${JSON.stringify(text)}, which cannot be read: ${what}. It must be a rule or, as in YAML, a map such as '{rule: image-alt, url_match: /shop/}'.`,
      );
    }
  });
  return readConfigData("--ignore", { value: { ignore } }).ignore ?? [];
}
