import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const NAME = "html-conformance";
const FOLDER = path.join(ROOT, "packages", NAME);
const IMPORT = /^(?:import|export)\b(?:[^;"=(]*\bfrom)?\s*"([^"]+)";|\b(?:import|require)\("([^"$]+)"\)/gm;

type Manifest = Record<"dependencies" | "devDependencies", Record<string, string>>;
const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest & { files: string[] };

/** What the modules in a folder import: of each other as an absolute path, of packages as it is written. */
function importsIn(folder: string): { file: string; from: string }[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const modules = names.filter((name) => /\.[jt]s$/.test(name) && !name.includes("node_modules"));
  return modules.flatMap((name) => {
    const file = path.join(folder, name);
    const found = readFileSync(file, "utf8").matchAll(IMPORT);
    return Array.from(found, ([, first, from = first ?? ""]) => ({
      file: path.relative(ROOT, file),
      from: from.startsWith(".") ? path.resolve(path.dirname(file), from) : from,
    }));
  });
}

const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

describe(`The workspace ${NAME}`, () => {
  const { dependencies, devDependencies } = manifestIn(FOLDER);

  it("imports nothing of the service, and no package that it does not name", () => {
    const imports = importsIn(FOLDER);
    expect(imports).to.have.length.above(500);
    const known = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies), ...builtinModules, NAME]);
    const others = imports.filter(({ from }) =>
      path.isAbsolute(from)
        ? !from.startsWith(FOLDER + path.sep)
        : !from.startsWith("node:") && !known.has(packageOf(from)),
    );
    expect(others).to.deep.equal([]);
  });

  it("is imported by the service under its name", () => {
    const imports = importsIn(path.join(ROOT, "src"));
    expect(imports.filter(({ from }) => packageOf(from) === NAME)).to.have.length.above(20);
    expect(imports.filter(({ from }) => from.startsWith(path.join(ROOT, "packages")))).to.deep.equal([]);
  });

  it("has no dependency that the service's package does not install, since lib has the workspace without them", () => {
    expect(manifestIn(ROOT).dependencies).to.include(dependencies);
  });
});
