import { expect } from "chai";
import { parseJobTemplate } from "../../../src/controller/jobs/job-template.ts";
import { UsageError } from "../../../src/domain/errors.ts";

describe("the template of Jobs' pods", () => {
  const refusal = (text: string): string => {
    try {
      parseJobTemplate(text, "jobs.yaml");
    } catch (error) {
      expect(error).to.be.an.instanceOf(UsageError);
      return (error as Error).message;
    }
    throw new Error("It was taken.");
  };

  it("is YAML with the database's URL in its environment", () => {
    const text = "env: [{ name: DATABASE_URL, value: postgres://x }]\nnodeSelector: { disk: ssd }";
    expect(parseJobTemplate(text, "jobs.yaml")).to.deep.equal({
      env: [{ name: "DATABASE_URL", value: "postgres://x" }],
      nodeSelector: { disk: "ssd" },
    });
  });

  it("is refused without it, and when it is not YAML", () => {
    for (const text of ["", "env: []", "env: none", "labels: {}"])
      expect(refusal(text)).to.equal("jobs.yaml has no DATABASE_URL in its env.");
    expect(refusal("env: [")).to.match(/^jobs\.yaml cannot be read: /);
  });
});
