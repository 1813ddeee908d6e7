import { expect } from "chai";
import { readCorpus } from "../../fuzz/corpus.ts";
import { tryOne } from "../../fuzz/fuzz.ts";
import { targets } from "../../fuzz/targets/index.ts";

describe("what strangers write", () => {
  for (const target of targets)
    it(`breaks nothing: ${target.name}, on all inputs that the fuzzer has kept`, async () => {
      const inputs = [...readCorpus(target.name), ...target.seeds.map((seed) => Buffer.from(seed as string))];
      expect(inputs.length).to.be.greaterThan(target.seeds.length);
      for (const input of inputs) expect(await tryOne(target, input), input.toString("latin1")).to.equal(undefined);
    });
});
