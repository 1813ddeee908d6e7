export { createLinksRunner as createRunner } from "../engines/links/runner.ts";
