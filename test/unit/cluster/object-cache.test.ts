import { expect } from "chai";
import { createObjectCache } from "../../../src/cluster/cache/object-cache.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { reportResource } from "../../support/builders.ts";

const LABEL = "team";

/** An object at a version, with a team if it has one. */
function object(name: string, resourceVersion: string, team?: string): ReportResource {
  return reportResource(
    {},
    { namespace: "default", name, resourceVersion, ...(team && { labels: { [LABEL]: team } }) },
  );
}

/** A cache that was listed at version 10. */
function cacheOf(...objects: ReportResource[]) {
  const cache = createObjectCache<ReportResource>({ label: LABEL });
  cache.replace(objects, "10", cache.begin());
  return {
    ...cache,
    /** The version that is known of an object. */
    version: (name: string) => cache.get("default", name)?.metadata.resourceVersion,
    /** The objects of a team, each as `name@version`. */
    team: (value: string) =>
      cache.withLabel(value)?.items.map(({ metadata: { name, resourceVersion } }) => `${name}@${resourceVersion}`),
  };
}

describe("The cache of objects", () => {
  it("has what was listed, what the watch has shown since, and what we wrote ourselves", () => {
    const cache = cacheOf(object("a", "5", "red"), object("b", "6", "blue"));
    cache.apply({ type: "MODIFIED", object: object("a", "11", "red") });
    cache.apply({ type: "ADDED", object: object("c", "12", "red") });
    cache.written(object("d", "13", "red"));
    cache.apply({ type: "DELETED", object: object("b", "14", "blue") });
    expect(cache.team("red")).to.deep.equal(["a@11", "c@12", "d@13"]);
    expect(cache.team("blue")).to.deep.equal([]);
    expect(cache.version("d")).to.equal("13");
    expect(cache.version("b")).to.equal(undefined);
    expect(cache.withLabel("red")?.resourceVersion).to.equal("14");
  });

  it("never goes back to an older state, in whatever order they come", () => {
    const cache = cacheOf(object("a", "5", "red"));
    cache.written(object("a", "12", "red"));
    cache.apply({ type: "MODIFIED", object: object("a", "11", "red") });
    expect(cache.version("a")).to.equal("12");
    cache.apply({ type: "MODIFIED", object: object("a", "100", "red") });
    expect(cache.version("a"), "versions are numbers, not texts").to.equal("100");
    cache.written(object("a", "99", "red"));
    expect(cache.version("a")).to.equal("100");
  });

  it("does not bring a deleted object back, by a late response or a watch that begins again", () => {
    const cache = cacheOf(object("a", "5", "red"));
    cache.apply({ type: "DELETED", object: object("a", "12", "red") });
    cache.written(object("a", "11", "red"));
    cache.apply({ type: "MODIFIED", object: object("a", "11", "red") });
    expect(cache.version("a")).to.equal(undefined);
    expect(cache.team("red")).to.deep.equal([]);
  });

  it("has the new object where one with the same name was deleted", () => {
    const cache = cacheOf(object("a", "5", "red"));
    cache.written(object("a", "13", "blue"));
    cache.apply({ type: "DELETED", object: object("a", "12", "red") });
    expect(cache.team("red")).to.deep.equal([]);
    expect(cache.team("blue")).to.deep.equal(["a@13"]);
  });

  it("forgets with a new list what is gone, and keeps what was written after it", () => {
    const cache = cacheOf(object("gone", "5", "red"), object("stays", "6", "red"));
    cache.written(object("stays", "21", "red"));
    cache.written(object("new", "22", "red"));
    cache.replace([object("stays", "6", "red")], "20", cache.begin());
    expect(cache.team("red")).to.deep.equal(["stays@21", "new@22"]);
  });

  it("follows a label that changes", () => {
    const cache = cacheOf(object("a", "5", "red"));
    cache.apply({ type: "MODIFIED", object: object("a", "11", "blue") });
    expect(cache.team("red")).to.deep.equal([]);
    expect(cache.team("blue")).to.deep.equal(["a@11"]);
    cache.apply({ type: "MODIFIED", object: object("a", "12") });
    expect(cache.team("blue")).to.deep.equal([]);
    expect(cache.version("a")).to.equal("12");
  });

  it("knows nothing of an invalidated object, nor which objects have its label, until it is observed or written", () => {
    const cache = cacheOf(object("a", "5", "red"), object("b", "6", "blue"));
    cache.invalidate({ namespace: "default", name: "a" });
    expect(cache.version("a")).to.equal(undefined);
    expect(cache.team("red")).to.equal(undefined);
    expect(cache.team("blue")).to.deep.equal(["b@6"]);
    cache.apply({ type: "DELETED", object: object("a", "11", "red") });
    expect(cache.team("red")).to.deep.equal([]);

    cache.invalidate(object("new", "0", "red").metadata);
    expect(cache.team("red")).to.equal(undefined);
    cache.written(object("new", "12", "red"));
    expect(cache.team("red")).to.deep.equal(["new@12"]);
  });

  it("does not know whether an object is there whose last finalizer was taken away", () => {
    const cache = cacheOf(object("a", "5", "red"));
    const released = object("a", "11", "red");
    Object.assign(released.metadata, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [] });
    cache.written(released);
    expect(cache.version("a")).to.equal(undefined);
    expect(cache.team("red")).to.equal(undefined);
  });

  it("knows the objects of all labels where an invalidated object was not known", () => {
    const cache = cacheOf(object("b", "6", "blue"));
    cache.invalidate({ namespace: "default", name: "unknown" });
    expect(cache.team("blue")).to.deep.equal(["b@6"]);
  });

  it("believes a list that was begun after the invalidation, and not one that was begun before", () => {
    const cache = cacheOf(object("a", "5", "red"));
    const before = cache.begin();
    cache.invalidate({ namespace: "default", name: "a" });
    cache.replace([object("a", "5", "red")], "20", before);
    expect(cache.version("a")).to.equal(undefined);
    cache.replace([object("a", "5", "red")], "21", cache.begin());
    expect(cache.version("a")).to.equal("5");
  });

  it("keeps none that nobody reads again, and no managed fields", () => {
    const cache = createObjectCache<ReportResource>({ keep: ({ metadata }) => metadata.name !== "ended" });
    const managed = object("a", "5");
    Object.assign(managed.metadata, { managedFields: [{ manager: "kubectl" }] });
    cache.replace([managed, object("ended", "6")], "10", cache.begin());
    expect(cache.get("default", "a")?.metadata).to.not.have.property("managedFields");
    expect(cache.get("default", "ended")).to.equal(undefined);
    expect(managed.metadata, "the caller's object stays as it is").to.have.property("managedFields");
  });

  it("keeps its own last state of what nobody reads again until the watch has shown it", () => {
    const cache = createObjectCache<ReportResource>({ keep: ({ spec }) => spec.maxPages !== 7 });
    cache.replace([], "10", cache.begin());
    cache.written(object("a", "11"));
    const ended = object("a", "12");
    ended.spec.maxPages = 7;
    cache.written(ended);
    cache.apply({ type: "MODIFIED", object: object("a", "11") });
    expect(cache.get("default", "a")?.metadata.resourceVersion).to.equal("12");
    cache.apply({ type: "MODIFIED", object: ended });
    expect(cache.get("default", "a")).to.equal(undefined);
  });

  it("forgets all that it knows when versions go back, as after the restore of a backup", () => {
    const cache = cacheOf(object("a", "5", "red"));
    cache.apply({ type: "MODIFIED", object: object("a", "500", "red") });
    cache.apply({ type: "ADDED", object: object("ghost", "501", "red") });
    cache.replace([object("a", "300", "red")], "400", cache.begin());
    expect(cache.team("red")).to.deep.equal(["a@300"]);
    cache.written(object("a", "401", "red"));
    expect(cache.version("a")).to.equal("401");
  });

  it("knows the newest version that was observed or written, and none after versions went back", () => {
    const cache = cacheOf(object("a", "5", "red"));
    expect(cache.latestVersion()).to.equal("10");
    cache.written(object("a", "12", "red"));
    cache.written(object("b", "11", "red"));
    expect(cache.latestVersion()).to.equal("12");
    cache.apply({ type: "BOOKMARK", resourceVersion: "100" });
    expect(cache.latestVersion()).to.equal("100");
    cache.replace([], "7", cache.begin());
    expect(cache.latestVersion()).to.equal("7");
  });

  it("knows no newest version before the first list: a write says nothing of others", () => {
    const cache = createObjectCache<ReportResource>({ label: LABEL });
    cache.written(object("a", "12", "red"));
    expect(cache.latestVersion()).to.equal("");
  });

  it("stays invalidated when the watch shows a change that may be older than the write that failed", () => {
    const cache = cacheOf(object("a", "5", "red"));
    cache.invalidate({ namespace: "default", name: "a" });
    cache.apply({ type: "MODIFIED", object: object("a", "11", "red") });
    expect(cache.version("a")).to.equal(undefined);
  });

  it("takes versions that are not numbers as they come", () => {
    const cache = createObjectCache<ReportResource>();
    cache.replace([object("a", "x1")], "x1", cache.begin());
    cache.apply({ type: "MODIFIED", object: object("a", "x0") });
    expect(cache.get("default", "a")?.metadata.resourceVersion).to.equal("x0");
  });
});
