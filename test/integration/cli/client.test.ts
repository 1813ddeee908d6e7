import { expect } from "chai";
import { createClient } from "../../../src/cli/client.ts";
import { type Site, serveSite } from "../../support/site.ts";

describe("the client of the command check", () => {
  /** A service that is busy twice, and then responds. */
  async function busyService(status: number): Promise<Site> {
    let asked = 0;
    return serveSite({
      "*": (_request, response) => {
        asked += 1;
        const busy = asked <= 2;
        response.writeHead(busy ? status : 200, busy ? { "retry-after": "0" } : {});
        response.end(JSON.stringify(busy ? { errors: [{ title: "Busy", detail: "Try again." }] } : { data: asked }));
      },
    });
  }
  const clientOf = ({ origin }: Site) =>
    createClient({ base: origin, token: "svt_token", signal: new AbortController().signal });

  it("reads again what the service could not say, when it says when", async () => {
    for (const status of [429, 503]) {
      const service = await busyService(status);
      const client = clientOf(service);
      expect(await client.get("/reports/1")).to.deep.equal({ data: 3 });
      client.close();
      await service.close();
    }
  });

  it("creates nothing twice", async () => {
    const service = await busyService(503);
    const client = clientOf(service);
    const error = await client.post("/reports", {}).catch((reason: unknown) => reason);
    expect(String(error)).to.contain("The service responded with 503 to /reports");
    expect(service.requests).to.have.length(1);
    client.close();
    await service.close();
  });
});
