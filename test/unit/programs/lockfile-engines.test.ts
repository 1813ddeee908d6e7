import { expect } from "chai";
import { withoutNewerNodes } from "../../../scripts/lockfile-engines.ts";

const versions = { runs: "24.21.0", installs: ">=20" };
const lockfile = (engines: Record<string, string | undefined>) =>
  JSON.stringify({
    name: "x",
    packages: Object.fromEntries(
      Object.entries(engines).map(([name, node]) => [name, { version: "1.0.0", ...(node && { engines: { node } }) }]),
    ),
  });

describe("What the lockfile says of Node", () => {
  it("is left out where npm would warn of an older Node, which runs nothing", () => {
    const given = lockfile({
      "": ">=22",
      "node_modules/a": ">=22.12.0",
      "node_modules/b": ">=18",
      "node_modules/c": "^20.19.0 || >=22",
      "node_modules/d": undefined,
    });
    const { packages } = JSON.parse(withoutNewerNodes(given, versions));
    const left = Object.keys(packages).filter((name) => packages[name].engines);
    expect(left).to.deep.equal(["", "node_modules/b"]);
    expect(packages["node_modules/a"]).to.deep.equal({ version: "1.0.0" });
  });

  it("must be satisfied by the Node that runs everything", () => {
    expect(() => withoutNewerNodes(lockfile({ "node_modules/a": ">=25" }), versions)).to.throw(
      "node_modules/a needs Node >=25; programs run on 24.21.0.",
    );
  });
});
