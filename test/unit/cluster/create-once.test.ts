import { expect } from "chai";
import { createOnce } from "../../../src/cluster/create-once.ts";
import { type Cluster, ClusterError } from "../../../src/cluster/port.ts";
import { reportResource } from "../../support/builders.ts";

describe("createOnce", () => {
  const report = reportResource();

  it("gives up, and says why, when the name is taken each time by an object that cannot be found", async () => {
    let tries = 0;
    const contradicting = {
      async create() {
        // What would go on for ever ends here.
        if (++tries > 100) throw new Error("It was tried a hundred times.");
        throw new ClusterError("AlreadyExists", "It exists already.");
      },
      get: async () => undefined,
    } as unknown as Cluster;
    const error = await createOnce<"Report">(contradicting, "Report", report, () => true).catch((thrown) => thrown);
    expect(error).to.be.instanceOf(ClusterError).with.property("reason", "Unavailable");
    expect(error.message).to.contain(
      `The Report default/${report.metadata.name} could not be created: 3 times the cluster said that it exists already`,
    );
    expect(tries).to.equal(3);
  });
});
