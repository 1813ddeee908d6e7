import type { EngineModule } from "../../checker/engine.ts";
import { createAxeRunner } from "../../checker/engines/axe/runner.ts";

export const createRunner: EngineModule["createRunner"] = async ({ browser }) => createAxeRunner(await browser());
