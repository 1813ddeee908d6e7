import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";

const CHART = new URL("../../charts/site-validator/", import.meta.url);
const values: unknown = parse(readFileSync(new URL("values.yaml", CHART), "utf8"));
const readme = readFileSync(new URL("README.md", CHART), "utf8");

/** The pages of docs/. */
const pages = readdirSync(new URL("../../docs", CHART)).flatMap((name) => (name.endsWith(".md") ? `docs/${name}` : []));

type Row = { names: string[]; defaults: string[]; text: string };

describe("The table of values in the chart's README", () => {
  const rows = tableOf("## Values");
  const named = new Set(rows.flatMap(({ names }) => names));

  it("has every value", () => {
    const leaves = leavesOf(values);
    expect(leaves).to.include.members(["limits.maxPages", "jobs.resources.browser.limits.memory"]);

    expect(leaves.filter((name) => !isNamed(name))).to.deep.equal([]);
  });

  it("names no value that does not exist", () => {
    const names = [...named].map((name) => name.replace(/\.\*$/, ""));

    expect(names.filter((name) => lookUp(name) === undefined)).to.deep.equal([]);
  });

  it("has the current defaults", () => {
    const wrong = rows
      .filter(({ names, defaults }) => names.length === defaults.length)
      .flatMap(({ names, defaults }) =>
        names.flatMap((name, index) => {
          const [said, is] = [defaults[index], formatDefault(lookUp(name))];
          return said === undefined || !said.startsWith("`") || isPart(name) || said === is
            ? []
            : [`${name}: ${said}, is ${is}`];
        }),
      );

    expect(wrong).to.deep.equal([]);
  });

  /** By itself, with the group that it is in, or in the words about its group. */
  function isNamed(name: string): boolean {
    const parts = name.split(".");
    return parts.some((part, index) => {
      const [group, path] = [parts.slice(0, index).join("."), parts.slice(0, index + 1).join(".")];
      if (named.has(path)) return true;
      return rows.some(({ names, text }) => names.includes(`${group}.*`) && text.includes(`\`${part}\``));
    });
  }
});

describe("The values that other documents name", () => {
  const namesIn = (file: string): string[] => {
    const text = readFileSync(new URL(`../../${file}`, CHART), "utf8");
    const groups = Object.keys(values as object).filter((group) => isPart(group));
    const names = [...text.matchAll(/`([a-zA-Z]+(?:\.[a-zA-Z*-]+)+)(?:: [^`]+)?`/g)].map(([, name = ""]) => name);
    return names.filter((name) => groups.includes(name.split(".")[0] ?? ""));
  };

  for (const file of ["README.md", ...pages])
    it(`are the chart's: ${file}`, () => {
      expect(namesIn(file).filter((name) => lookUp(name.replace(/\.\*$/, "")) === undefined)).to.deep.equal([]);
    });

  it("are found, wherever a page has them", () => {
    for (const file of ["docs/cluster.md", "docs/troubleshooting.md"])
      expect(namesIn(file), file).to.include("database.existingSecret");
  });
});

/** Where a default is told in other words than YAML's. */
function isPart(name: string): boolean {
  const value = lookUp(name);
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function formatDefault(value: unknown): string {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string") && value.length > 0
    ? value.map((entry) => `\`${entry}\``).join(", ")
    : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function tableOf(heading: string): Row[] {
  const section = readme.split(`${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => {
    const [, first = "", second = "", text = ""] = line.split("|").map((cell) => cell.trim());
    return { names: [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name), defaults: split(second), text };
  });
}

/** `5000`, `[443,6443]` → two. */
function split(cell: string): string[] {
  return cell.split(", ").map((part) => part.trim());
}

/** Every value that is not made of others, by its path. */
function leavesOf(node: unknown, path: readonly string[] = []): string[] {
  if (typeof node !== "object" || node === null || Array.isArray(node)) return [path.join(".")];
  const entries = Object.entries(node);
  return entries.length === 0 ? [path.join(".")] : entries.flatMap(([key, value]) => leavesOf(value, [...path, key]));
}

function lookUp(name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (node, key) => (typeof node === "object" && node !== null ? Reflect.get(node, key) : undefined),
      values,
    );
}
