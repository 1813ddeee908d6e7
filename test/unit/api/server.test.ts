import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import express from "express";
import { listen } from "../../../src/api/http/server.ts";

describe("a server that is asked to stop", () => {
  it("does not wait for a connection that was opened, and on which nothing was sent", async () => {
    const server = await listen(express(), { host: "127.0.0.1", port: 0 });
    const connection = connect(Number(new URL(server.url).port), "127.0.0.1");
    await once(connection, "connect");
    const ended = once(connection, "close");
    // Otherwise it ends after the grace of running requests, which is longer than the limit of this test.
    await server.close();
    await ended;
  });

  it("lets a running request finish", async () => {
    const app = express();
    const arrived = Promise.withResolvers<express.Response>();
    app.get("/", (_request, response) => arrived.resolve(response));
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    const asked = fetch(server.url);
    const response = await arrived.promise;
    const closed = server.close();
    response.send("done");
    expect(await (await asked).text()).to.equal("done");
    await closed;
  });
});
