import { expect } from "chai";
import { createBatchWriter, type RunInSession } from "../../../src/crawler/batch-writer.ts";
import { addPage, createFrontier } from "../../../src/crawler/frontier.ts";
import { eventually } from "../../support/wait.ts";

describe("the writer of a crawl's batches", () => {
  it("does not end the crawl when the last batch could not be stored", async () => {
    const frontier = createFrontier({ host: "example.com", exclusions: [] }, 0);
    const writes: PromiseWithResolvers<void>[] = [];
    const run: RunInSession = async <T>() => {
      const write = Promise.withResolvers<void>();
      // Only the two batches wait. The third would be the crawl's end.
      if (writes.push(write) > 2) write.resolve();
      await write.promise;
      return undefined as T;
    };
    const writer = createBatchWriter(frontier, { reportId: "", kinds: ["html"], run });
    const addPages = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        const url = `https://example.com/${index}`;
        addPage(frontier, { url, linkedFrom: null, httpStatus: 200, source: undefined, failure: undefined });
      }
      await writer.changed();
    };
    await addPages(0, 60);
    expect(writes).to.have.length(1);
    await addPages(60, 120);
    const failure = new Error("the disk is full");
    const ended = writer.end({ state: "ended", failure: undefined, maxExcluded: 0 }).then(
      () => "ended",
      (error: unknown) => error,
    );
    writes[0]?.resolve();
    await eventually(() => writes.length === 2);
    writes[1]?.reject(failure);
    expect(await ended).to.equal(failure);
    expect(writes).to.have.length(2);
  });
});
