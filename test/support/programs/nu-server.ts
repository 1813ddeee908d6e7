import { createNuServer } from "../../../src/checker/engines/nu/server.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

/** Runs a Nu server until it is killed, and prints "ready" after its first document: `nu-server.ts JAVA JAR`. */
const [, , java = "", jar = ""] = process.argv;
const server = createNuServer({ log: createLogger("error", {}), java, jar });
const document = { source: "<!DOCTYPE html>", url: "about:blank", contentType: "text/html" };
await server.check(document, new AbortController().signal);
process.stdout.write("ready\n");
setInterval(() => {}, 60_000);
