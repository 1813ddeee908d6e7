import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { fromServiceAccount } from "../../../src/cluster/kubernetes/service-account.ts";

const SERVER = "https://10.96.0.1:443";

describe("a pod's service account", () => {
  let folder: string;
  let now: number;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-service-account-"));
    now = 1_000;
    await write("token", "first\n");
    await write("ca.crt", "authority");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  const open = () => fromServiceAccount({ server: SERVER, folder }, () => now);

  it("is the pod's token, to the API server of its cluster", async () => {
    const config = open();
    expect(config.server).to.equal(SERVER);
    expect((await config.credentials(SERVER, { reuse: true })).headers).to.deep.equal({
      Authorization: "Bearer first",
    });
  });

  it("is read again after a minute, since the kubelet renews the token", async () => {
    const { credentials } = open();
    const token = async () => (await credentials(SERVER, { reuse: true })).headers.Authorization;
    await token();
    await write("token", "second");
    now += 59_999;
    expect(await token()).to.equal("Bearer first");
    now += 1;
    expect(await token()).to.equal("Bearer second");
  });

  it("keeps its connections until the cluster has another authority", async () => {
    const { credentials } = open();
    const dispatcher = async () => (await credentials(SERVER, { reuse: true })).dispatcher;
    const first = await dispatcher();
    await write("token", "second");
    now += 60_000;
    expect(await dispatcher()).to.equal(first);
    await write("ca.crt", "another");
    now += 60_000;
    expect(await dispatcher()).to.not.equal(first);
  });

  it("has a new connection for whoever asks for one", async () => {
    const { credentials } = open();
    const dispatcher = async () => (await credentials(SERVER, { reuse: false })).dispatcher;
    expect(await dispatcher()).to.not.equal(await dispatcher());
  });

  it("is what it was while it cannot be read again", async () => {
    const { credentials } = open();
    const token = async () => (await credentials(SERVER, { reuse: true })).headers.Authorization;
    await token();
    await rm(path.join(folder, "token"));
    now += 60_000;
    expect(await token()).to.equal("Bearer first");
    await write("token", "second");
    expect(await token()).to.equal("Bearer second");
  });

  it("has no token in the message about a file that is empty or something else", async () => {
    for (const text of ["", "\n", "two tokens", "with\0secret"]) {
      await write("token", text);
      const failed = await open()
        .credentials(SERVER, { reuse: true })
        .catch((error: Error) => error);
      expect(failed)
        .to.be.an("error")
        .with.property("message", `${path.join(folder, "token")} has no token.`);
    }
  });

  it("fails while it cannot be read at all, and works once it can", async () => {
    const { credentials } = open();
    await rm(path.join(folder, "token"));
    const failed = await credentials(SERVER, { reuse: true }).catch((error: Error) => error);
    expect(failed).to.be.an("error").with.property("message").that.includes("token");
    await write("token", "late");
    expect((await credentials(SERVER, { reuse: true })).headers.Authorization).to.equal("Bearer late");
  });
});
