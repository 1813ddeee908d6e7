import type { Context } from "mocha";
import { findJava, type NuAvailability } from "../../src/checker/engines/nu/find-java.ts";
import { javaExecutables } from "../../src/config.ts";

let found: Promise<NuAvailability> | undefined;

/** Java and the Nu Html Checker's jar. Where there is no Java, the tests are skipped, and the output says so. */
export async function requireNu(test: Context): Promise<Extract<NuAvailability, { available: true }>> {
  found ??= findJava(javaExecutables(process.env));
  const nu = await found;
  if (nu.available) return nu;
  console.warn(`    NOT RUN: ${nu.reason}`);
  return test.skip();
}
