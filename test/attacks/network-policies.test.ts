import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import ipaddr from "ipaddr.js";
import { parseAllDocuments } from "yaml";
import { forbiddenAddresses } from "./network-policies.ts";

type Peer = { ipBlock?: { cidr: string; except?: string[] }; podSelector?: object; namespaceSelector?: object };
type Rule = { ports?: { port: number; protocol?: string }[]; to?: Peer[] };
type Policy = { kind: string; metadata: { name: string }; spec: { egress?: Rule[] } };

const manifest = path.resolve(import.meta.dirname, "../../manifests/install.yaml");

describe("the NetworkPolicies as installed by default", () => {
  let policies: Policy[];
  before(async () => {
    const documents = parseAllDocuments(await readFile(manifest, "utf8")).map((document) => document.toJS() as Policy);
    policies = documents.filter(({ kind }) => kind === "NetworkPolicy");
  });

  const matches = (address: string, cidr: string): boolean => {
    const parsed = ipaddr.parse(address);
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return parsed.kind() === network.kind() && parsed.match(network as ipaddr.IPv4, bits);
  };
  const allows = ({ ipBlock }: Peer, address: string): boolean =>
    ipBlock !== undefined &&
    matches(address, ipBlock.cidr) &&
    !(ipBlock.except ?? []).some((except) => matches(address, except));

  /** Whether Jobs reach the address on the ports of sites. */
  function jobsReach(address: string): boolean {
    const jobs = policies.find(({ metadata }) => metadata.name.endsWith("-jobs"));
    const web = (jobs?.spec.egress ?? []).filter(({ ports }) => ports === undefined);
    expect(web).to.have.length(1);
    return web.some(({ to = [] }) => to.some((peer) => allows(peer, address)));
  }

  for (const { name, address } of forbiddenAddresses)
    it(`keep Jobs from ${name} (${address})`, () => {
      expect(jobsReach(address)).to.equal(false);
    });

  for (const address of ["93.184.216.34", "1.1.1.1", "2606:2800:220:1::1"])
    it(`let Jobs reach the public ${address}`, () => {
      expect(jobsReach(address)).to.equal(true);
    });

  it("allow DNS to the cluster's resolver alone, for every program", () => {
    const rules = policies.flatMap(({ spec }) => spec.egress ?? []);
    const dns = rules.filter(({ ports = [] }) => ports.some(({ port }) => port === 53));
    expect(dns).to.have.length.above(3);
    for (const { to = [] } of dns) {
      expect(to).to.not.be.empty;
      for (const { ipBlock } of to) if (ipBlock) expect(ipBlock.cidr).to.equal("169.254.20.10/32");
    }
  });
});
