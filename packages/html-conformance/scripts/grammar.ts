import { writeGrammars } from "./own-grammars.ts";

/** `npm run grammar`: gives this checkout the grammars that the packed package has, for `check` and the command. */
console.log(`The grammars are in ${await writeGrammars()}`);
