#!/usr/bin/env node
// Plain JavaScript that Node 18 can run: it finds a Node that is new enough, and runs the command with that.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** What the dependencies need, html-validate most of all. */
const MIN_NODE = { major: 22, minor: 22 };
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RUN = fileURLToPath(new URL("./run.js", import.meta.url));

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > MIN_NODE.major || (major === MIN_NODE.major && minor >= MIN_NODE.minor)) await import("./run.js");
else {
  const node = nodeOfNpm();
  if (node) runWith(node);
  else fail(`and the npm package ${packageName()} that has one is not installed`);
}

function packageName() {
  return `node-${process.platform}-${process.arch}`;
}

/** The Node of the npm package for this machine, an optional dependency that may be beside this package or in it. */
function nodeOfNpm() {
  // Node itself would look in every folder above, where others may leave a package of that name.
  const beside = path.resolve(ROOT, "..");
  const folders = [path.join(ROOT, "node_modules"), ...(path.basename(beside) === "node_modules" ? [beside] : [])];
  return folders.map((folder) => path.join(folder, packageName(), "bin", "node")).find((file) => existsSync(file));
}

/** @param {string} node */
function runWith(node) {
  // The channel closes with this process, however that ends: run.js stops then.
  const child = spawn(node, [RUN, ...process.argv.slice(2)], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(name, () => {
      child.kill(name);
    });
  child.on("error", (error) =>
    fail(`and the one of the npm package ${packageName()} does not start (${error.message})`),
  );
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** @param {string} why */
function fail(why) {
  process.stderr.write(
    `site-validator needs Node ${MIN_NODE.major}.${MIN_NODE.minor} or newer. This is Node ${process.versions.node}, ${why}. ` +
      "Install a newer Node, or install this package again without --omit=optional on Linux for x64 or arm64.\n",
  );
  process.exitCode = 2;
}
