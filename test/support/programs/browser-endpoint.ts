import { writeFileSync } from "node:fs";
import { serveBrowsers } from "../../../src/browser/endpoint.ts";
import { testLog } from "../controller.ts";

/** Serves the Chromium at a path behind a socket, in a process of its own. A file tells when a browser has ended. */
const [chromium = "", socket = ""] = process.argv.slice(2);
const log = Object.assign(Object.create(testLog), {
  warn(message: string) {
    if (message === "browser ended") writeFileSync(`${socket}.ended`, "");
  },
});
await serveBrowsers({ chromium: { path: chromium, env: {}, uid: undefined }, socket, log });
