import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The instructions of each target of the Containerfile, with continued lines joined, and the target that it is made from. */
async function targets(): Promise<Map<string, { from: string; instructions: string[] }>> {
  const text = (await readFile(`${root}/Containerfile`, "utf8")).replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "");
  const found = new Map<string, { from: string; instructions: string[] }>();
  for (const part of text.split(/^(?=FROM )/m)) {
    const [, from = "", name] = /^FROM (\S+) AS (\S+)/.exec(part) ?? [];
    if (name !== undefined) found.set(name, { from, instructions: part.split("\n").slice(1) });
  }
  return found;
}

describe("what is shipped", () => {
  it("has the Nu Html Checker's jar and a Java runtime in the image for it only", async () => {
    const all = await targets();
    const copied = (name: string): string[] => {
      const { from, instructions } = all.get(name) ?? { from: "", instructions: [] };
      const own = instructions.filter((line) => line.startsWith("COPY") || line.includes("apt-get install"));
      return [...(all.has(from) ? copied(from) : []), ...own];
    };
    const hasJava = (name: string) => copied(name).filter((line) => /vnu-jar|=java |jre|jdk/.test(line)).length;
    expect([...all.keys()]).to.include.members(["slim", "browser", "nu"]);
    expect(hasJava("nu")).to.equal(2);
    for (const name of ["slim", "browser", "app", "dependencies"]) expect(hasJava(name), name).to.equal(0);
    // The stage that has the package gives the others what was made there; the jar to `nu` alone.
    const taken = [...all].flatMap(([name, { instructions }]) =>
      instructions.filter((line) => line.includes("from=made")).map((line) => `${name}: ${line}`),
    );
    expect(taken).to.deep.equal([
      "app: COPY --from=made /app/bundle bundle",
      "app: COPY --from=made /grammar/grammar $CACHE_DIR/grammar",
      "nu: COPY --from=made /nu/node_modules/vnu-jar node_modules/vnu-jar",
    ]);
  });

  it("starts a bundle in images, in which there is nothing that makes one", async () => {
    const { optionalDependencies } = JSON.parse(await readFile(`${root}/package.json`, "utf8"));
    expect(optionalDependencies).to.include.keys("esbuild");
    const all = await targets();
    const installs = all.get("dependencies")?.instructions.find((line) => line.includes("npm ci"));
    expect(installs).to.include("--omit=optional");
    for (const name of ["slim", "browser", "nu"])
      expect(
        all.get(name)?.instructions.find((line) => line.startsWith("ENTRYPOINT")),
        name,
      ).to.include('"node", "/app/bundle/main/index.js"]');
  });

  it("makes what images are made of without the secrets of a registry, where packages run", async () => {
    const runs = [...(await targets()).values()].flatMap(({ instructions }) =>
      instructions.filter((line) => line.startsWith("RUN")),
    );
    const withSecrets = runs.filter((line) => line.includes("type=secret"));
    expect(withSecrets).to.have.length(2);
    for (const line of withSecrets) {
      expect(line).to.match(/npm (ci|install) .*--ignore-scripts/);
      expect(line).not.to.match(/node (src|scripts|bundle|node_modules)/);
    }
  });

  it("has a cache in images that is root's and that each user can read, because programs trust none of another user", async () => {
    const all = await targets();
    const made = all.get("app")?.instructions.filter((line) => /^(USER|RUN) /.test(line)) ?? [];
    expect(made.slice(-2)).to.deep.equal([
      "USER root",
      'RUN chown -R 0:0 "$CACHE_DIR" && chmod -R u=rwX,go=rX "$CACHE_DIR"',
    ]);
    for (const name of ["slim", "browser"]) {
      const copies = all.get(name)?.instructions.filter((line) => /^COPY .*\/var\/cache/.test(line));
      const cache = "/var/cache/site-validator";
      expect(copies, name).to.deep.equal([`COPY --from=app --chown=0:0 ${cache} ${cache}`]);
    }
  });

  it("has no dependency in the packed tarball", async () => {
    const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[]; unpackedSize: number }[];
    expect(packed?.files.map(({ path }) => path).filter((path) => /\.jar$|^node_modules\//.test(path))).to.deep.equal(
      [],
    );
    expect(packed?.unpackedSize).to.be.below(16_000_000);
  });

  it("installs no image from elsewhere but by its digest", async () => {
    const values = parse(await readFile(`${root}/charts/site-validator/values.yaml`, "utf8"));
    const imagesIn = (value: unknown): { repository: string; tag: string }[] => {
      if (value === null || typeof value !== "object") return [];
      return "repository" in value
        ? [value as { repository: string; tag: string }]
        : Object.values(value).flatMap(imagesIn);
    };
    const images = imagesIn(values);
    const own = images.filter(({ repository }) => /^(site-validator-\w+)?$/.test(repository));
    expect(own.map(({ repository }) => repository)).to.have.members([
      "site-validator-slim",
      "site-validator-browser",
      "",
    ]);
    const others = images.filter((image) => !own.includes(image));
    expect(others).to.have.length(1);
    for (const { tag } of others) expect(tag).to.match(/^[\w.-]+@sha256:[0-9a-f]{64}$/);
    const { data } = parse(await readFile(`${root}/manifests/images.yaml`, "utf8"));
    expect([data.postgres]).to.deep.equal(others.map(({ repository, tag }) => `${repository}:${tag}`));
  });

  it("is built from base images that are given by their digest, and from packages that the lockfile knows by theirs", async () => {
    const containerfile = await readFile(`${root}/Containerfile`, "utf8");
    const stages = new Set((await targets()).keys());
    const bases = [...containerfile.matchAll(/^(?:FROM|ARG NODE_IMAGE=)\s*(\S+)/gm)].map(([, image = ""]) => image);
    const outside = bases.filter((image) => !stages.has(image) && !image.startsWith("${"));
    expect(outside).to.have.length(1);
    for (const image of outside) expect(image).to.match(/@sha256:[0-9a-f]{64}$/);
    const { packages } = JSON.parse(await readFile(`${root}/package-lock.json`, "utf8")) as {
      packages: Record<string, { integrity?: string }>;
    };
    const unknown = Object.entries(packages).filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
    // What is in this repository: the service, and its workspace with the link to it.
    expect(unknown.map(([name]) => name)).to.have.members([
      "",
      "packages/html-conformance",
      "node_modules/html-conformance",
    ]);
  });
});
