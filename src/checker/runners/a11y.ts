import type { EngineModule } from "../engine.ts";
import { createAxeRunner } from "../engines/axe/runner.ts";

export const createRunner: EngineModule["createRunner"] = async ({ browser }) => createAxeRunner(await browser());
