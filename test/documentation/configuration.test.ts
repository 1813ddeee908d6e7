import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { type Config, readConfig } from "../../src/config.ts";
import { camelCase } from "../../src/schema/api-names.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** A row of docs/configuration.md: its variables, and their defaults as they are written. */
const rows = [...read("docs/configuration.md").matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|.*\|\s*([^|]*?)\s*\|$/gm)].map(
  ([, names = "", defaults = ""]) => ({
    names: [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name),
    defaults: defaults.split(", "),
  }),
);
const documented = rows.flatMap(({ names }) => names);

/** The variables that src/config.ts describes, in the comment on each member of Config. */
const known = [...read("src/config.ts").matchAll(/^ {2}(?:\/\*\*| \*) ((?:[A-Z][A-Z_]+(?:, | and )?)+):/gm)].flatMap(
  ([, names = ""]) => names.split(/, | and /),
);

/** What nobody sets by hand: the chart does on a cluster, or a program for those that it starts. */
const setForPrograms = [
  ...["CLUSTER", "NAMESPACE", "WATCH_NAMESPACES", "POD_NAME", "LEASE_NAME"],
  ...["CONTROLLER_DEPLOYMENT", "CONTROLLER_SELECTOR", "JOB_TEMPLATE_FILE", "MAX_CHECKERS_PER_JOB"],
  ...["SLIM_IMAGE", "BROWSER_IMAGE", "NU_IMAGE", "IMAGE_PULL_POLICY", "BROWSER_SOCKET"],
  ...["ALLOW_LOCALHOST", "BASIC_AUTH", "REQUEST_ID", "URL_LIST_FILE"],
];
/** Not our own, and found where the Nu engine is described. */
const ofJava = ["JAVA_HOME", "PATH"];

describe("The table of variables in docs/configuration.md", () => {
  it("has every variable, except those that the chart or a program sets", () => {
    expect(known.filter((name) => !documented.includes(name))).to.have.members([...setForPrograms, ...ofJava]);
  });

  it("names no variable that is not read", () => {
    expect(documented).to.include.members(["PORT", "HOST", "MAX_RATE_LIMIT"]);
    expect(
      documented.filter((name) => !new RegExp(`"${name}"|env\\.${name}\\b`).test(read("src/config.ts"))),
    ).to.deep.equal([]);
  });

  it("has the defaults that are numbers", () => {
    const defaults = readConfig({ HOME: "/home/you", PATH: "" });
    const wrong = rows.flatMap(({ names, defaults: written }) =>
      names.flatMap((name, index) => {
        const is = defaults[camelCase(name.toLowerCase()) as keyof Config];
        const said = written[index] ?? "";
        return typeof is === "number" && Number.parseInt(said, 10) !== is ? [`${name}: ${said}, is ${is}`] : [];
      }),
    );
    expect(wrong).to.deep.equal([]);
  });
});
