import { prepareGrammars } from "../src/checker/engines/grammar-store.ts";
import { cacheFolder } from "../src/config.ts";

/** Compiles the grammar of HTML into the cache folder, for an image. Elsewhere the first check does it. */
const { folder } = await prepareGrammars(cacheFolder(process.env));
console.log(`The grammars are in ${folder}`);
