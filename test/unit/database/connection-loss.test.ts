import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect } from "chai";
import { isConnectionLoss } from "../../../src/database/connection/errors.ts";

describe("a lost connection", () => {
  it("is a host name whose addresses all refuse the connection", async () => {
    expect(isConnectionLoss(await refusedByAll(await closedPort()))).to.equal(true);
  });

  for (const code of ["EHOSTUNREACH", "ENETUNREACH"])
    it(`is a network without a route to the host: ${code}`, () => {
      const error = Object.assign(new Error(`connect ${code} 192.0.2.1:5432`), { code, syscall: "connect" });
      expect(isConnectionLoss(error)).to.equal(true);
    });

  it("is neither an error of a file nor several errors that do not concern the network", () => {
    const missing = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", syscall: "open" });
    expect(isConnectionLoss(missing)).to.equal(false);
    expect(isConnectionLoss(new AggregateError([missing, new Error("wrong")]))).to.equal(false);
    expect(isConnectionLoss(new AggregateError([]))).to.equal(false);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The error of a connection to a host name with two addresses. */
async function refusedByAll(port: number): Promise<AggregateError> {
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const socket = connect({ host: "postgres", port, lookup: (_host, _options, callback) => callback(null, addresses) });
  const error = await new Promise<AggregateError>((resolve) =>
    socket.once("error", (e) => resolve(e as AggregateError)),
  );
  expect(error).to.be.instanceOf(AggregateError).with.property("message", "");
  return error;
}
