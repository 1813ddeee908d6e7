import { confine } from "../../../src/checker/processes/confine.ts";
import { engineEscapes } from "../../attacks/engine-escapes.ts";

/** Tries all escapes in the place of an engine, and sends what came of each: the error, or "done". */
confine();
process.on("message", ({ id }: { id: number }) => {
  const outcomes = engineEscapes.map(({ attempt }) => {
    try {
      attempt();
      return "done";
    } catch (error) {
      return `${(error as NodeJS.ErrnoException).code ?? (error as Error).name}`;
    }
  });
  process.send?.({ id, outcomes });
});
process.send?.({ ready: true });
