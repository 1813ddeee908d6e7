import { expect } from "chai";
import { openForcedColours } from "../../support/forced-colours.ts";
import { requireNu } from "../../support/nu.ts";
import { findHtml, type OwnAxe, openOwnAxe } from "../../support/own-verdicts.ts";
import { type Snapshots, serveSnapshots } from "../../support/snapshots.ts";
import { type Stop, signedIn, startWebService, type WebService } from "../../support/web-service.ts";
import { tour } from "../../support/web-tour.ts";

describe("Every page in every state", () => {
  let service: WebService;
  let snapshots: Snapshots;
  let axe: OwnAxe;
  const stops: Stop[] = [];

  before(async function () {
    this.timeout(180_000);
    service = await startWebService();
    await tour(service, (stop) => void stops.push(stop));
    const client = await signedIn(service);
    snapshots = await serveSnapshots(service.url, client.cookie(), stops);
    axe = await openOwnAxe();
  });
  after(async () => {
    await axe?.close();
    await snapshots?.close();
    await service?.close();
  });

  for (const name of ["conformance", "html-validate"] as const)
    it(`has nothing that ${name} finds`, async () => {
      expect(await findHtml(name, stops)).to.deep.equal([]);
    });

  it("has nothing that the Nu Html Checker finds", async function () {
    this.timeout(120_000);
    await requireNu(this);
    expect(await findHtml("nu", stops)).to.deep.equal([]);
  });

  it("has nothing that axe-core finds, not even for a person to review", async function () {
    this.timeout(120_000);
    const found: string[] = [];
    for (const { name } of stops) found.push(...(await axe.find(name, `${snapshots.url}/${name}`)));
    expect(found).to.deep.equal([]);
  });

  for (const scheme of ["light", "dark"] as const)
    it(`shows all that carries meaning in the colours that a ${scheme} system forces on it`, async function () {
      this.timeout(120_000);
      const colours = await openForcedColours(scheme);
      try {
        const found: string[] = [];
        for (const { name } of stops) found.push(...(await colours.find(name, `${snapshots.url}/${name}`)));
        expect(found).to.deep.equal([]);
        expect(colours.neverSeen(), "no page has such a thing any more").to.deep.equal([]);
      } finally {
        await colours.close();
      }
    });
});
