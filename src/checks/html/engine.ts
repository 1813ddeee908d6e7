import type { EngineModule } from "../../checker/engine.ts";
import { createHtmlRunner } from "../../checker/engines/html/runner.ts";

export const createRunner: EngineModule["createRunner"] = ({ spec, log, cacheDir, javaExecutables, cores }) =>
  createHtmlRunner(spec.htmlEngine, { log, cacheDir, javaExecutables, cores });
