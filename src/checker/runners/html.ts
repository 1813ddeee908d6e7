import type { EngineModule } from "../engine.ts";
import { createHtmlRunner } from "../engines/html/runner.ts";

export const createRunner: EngineModule["createRunner"] = ({ spec, log, cacheDir, javaExecutables, cores }) =>
  createHtmlRunner(spec.htmlEngine, { log, cacheDir, javaExecutables, cores });
