import { expect } from "chai";
import { createNamespace, deleteNamespaces, kubectl } from "../support/commands.ts";
import type { Installation } from "../support/installation.ts";
import { applyReport, faultySite, getReport, listJobs, MAX_RATE_LIMIT } from "../support/reports.ts";
import { deploySite } from "../support/site-pod.ts";

const PASSWORD = "correct-horse-battery";

/** @param given an installation that lets Reports name the Secret `members` */
export const describeSignIn = (given: () => { installation: Installation }) =>
  describe("behind a sign-in", () => {
    let site: string;

    before(async () => {
      await createNamespace("members");
      site = await deploySite("members", faultySite(4), { password: PASSWORD });
    });
    after(() => deleteNamespaces("members"));

    it("opens with the steps of a Secret, by one sign-in for all Jobs of a Report; what is typed, and the session, appear nowhere", async () => {
      const { namespace } = given().installation;
      const steps = [
        { type: "navigate", url: `${site}login` },
        { type: "change", selectors: ["#nothing", "[type=password]"], value: PASSWORD },
        { type: "click", selectors: [["aria/Sign in"], ["button"]], assertedEvents: [{ type: "navigation" }] },
      ];
      await kubectl([
        ...["create", "secret", "generic", "members", "-n", namespace, "--type=kubernetes.io/basic-auth"],
        ...[
          "--from-literal=username=",
          "--from-literal=password=",
          `--from-literal=sign-in=${JSON.stringify({ steps })}`,
        ],
      ]);
      const host = `sitevalidation.io/host=${new URL(site).host}`;
      await kubectl(["annotate", "secret", "members", "-n", namespace, host]);
      await applyReport(namespace, "members", {
        ...{
          startingUrl: site,
          basicAuthSecret: "members",
          performA11yChecks: true,
          performLinkChecks: true,
          rateLimit: MAX_RATE_LIMIT,
        },
        states: [{ name: "focused", url: "/", steps: [{ type: "click", selectors: ["h1"] }] }],
      });
      await kubectl(["wait", "-n", namespace, "--for=condition=Complete", "--timeout=300s", "report/members"]);
      // Four pages, and the first one in its state.
      expect((await getReport(namespace, "members")).status?.pages).to.equal(5);

      const objects = await kubectl([
        ...["get", "jobs,pods,events,configmaps,reports.sitevalidation.io", "-n", namespace, "-o", "yaml"],
      ]);
      const logs = await Promise.all(
        (await listJobs(namespace)).map((job) =>
          kubectl(["logs", "-n", namespace, "-l", `job-name=${job}`, "--all-containers", "--tail=-1", "--prefix"]),
        ),
      );
      expect(logs.join("").length).to.be.greaterThan(100);
      for (const text of [objects, ...logs]) expect(text).not.to.include(PASSWORD).and.not.to.include("in-as-a-member");
      const visits = await kubectl(["logs", "-n", "members", "deployment/site", "--tail=-1"]);
      expect(visits.match(/signed in/g)).to.have.length(1);
    });
  });
