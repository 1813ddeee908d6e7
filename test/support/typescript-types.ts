import { registerHooks } from "node:module";

const PRINTER = new URL("./typescript-printer.ts", import.meta.url).href;

/** The types of a client of an API, as `openapi-typescript` generates them by default. */
export async function typesOf(document: object): Promise<string> {
  // TypeScript 7 has no JavaScript API: for that package alone, `typescript` is the version before.
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const isTheirs = specifier === "typescript" && context.parentURL?.includes("/node_modules/openapi-typescript/");
      return next(isTheirs ? PRINTER : specifier, context);
    },
  });
  try {
    const { default: openapiTS, astToString } = await import(import.meta.resolve("openapi-typescript"));
    return astToString(await openapiTS(structuredClone(document)));
  } finally {
    hooks.deregister();
  }
}
