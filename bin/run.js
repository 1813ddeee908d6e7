// Runs the command in this process, which is a Node that is new enough (site-validator.js).
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

// Started by site-validator.js under another Node: when that ends, even by SIGKILL, this ends too.
if (process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

// Node runs TypeScript, but not in a folder node_modules (docs/adr/0043). A checkout needs no build.
if (root.split(path.sep).includes("node_modules")) {
  const { build } = await import("./build.js");
  await build(root).then(
    () => import(new URL("../lib/bundle/start.js", import.meta.url).href),
    (error) => {
      process.stderr.write(
        `The programs of site-validator cannot be written to ${path.join(root, "lib")}: ${error.message}. ` +
          "Run site-validator once as the user who installed it, or install a package that npm run pack has made.\n",
      );
      process.exitCode = 2;
    },
  );
} else await import("../src/bundle/start.js");
