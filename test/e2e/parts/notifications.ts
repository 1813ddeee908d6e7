import { expect } from "chai";
import { getJson, kubectl, poll, refusal } from "../support/commands.ts";
import { accountOf, type Installation, throughIngress } from "../support/installation.ts";

type Condition = { type: string; status: string; reason: string; message: string };

/** @param given the token of an installation that watches `team`, sends messages, and may read the Secret `tickets` there */
export const describeNotifications = (given: () => { installation: Installation; token: string }) =>
  describe("receivers that Schedules declare", () => {
    const schedule = (name: string, notifications: object[]) =>
      JSON.stringify({
        ...{ apiVersion: "sitevalidation.io/v1", kind: "Schedule", metadata: { name, namespace: "team" } },
        spec: { startingUrl: "https://example.com/", periodicity: { every: "deploy" }, notifications },
      });
    const apply = ["apply", "-f", "-"];
    const makeSecret = (name: string) =>
      kubectl([
        ...["create", "secret", "generic", name, "-n", "team", "--type=sitevalidation.io/receiver"],
        ...["--from-literal=url=https://tickets.example.com/", `--from-literal=signing-secret=whsec_${"a".repeat(32)}`],
      ]);
    const notifies = (name: string, isDone: (condition: Condition) => boolean) =>
      poll(async () => {
        const at = ["schedules.sitevalidation.io", name, "-n", "team"];
        const { status } = await getJson<{ status?: { conditions?: Condition[] } }>(at);
        return status?.conditions?.find((condition) => condition.type === "Notifies" && isDone(condition));
      });

    before(async () => {
      const account = `sitevalidation.io/account=${await accountOf(given().installation)}`;
      await kubectl(["annotate", "namespace", "team", account, "--overwrite"]);
    });

    it("are stored with the address in their Secret, which the controller may read if it is listed", async () => {
      const hook = (secret: string) => ({ name: secret, kind: "webhook", secret, events: ["report.failed"] });
      for (const name of ["tickets", "others"]) {
        await makeSecret(name);
        await kubectl(apply, schedule(name, [hook(name)]));
      }
      await notifies("tickets", ({ status }) => status === "True");
      const listed = await throughIngress<{ data: { attributes: { name: string; url: string } }[] }>(
        "/api/v1/receivers",
        { token: given().token },
      );
      expect(listed.body.data.map(({ attributes: { name, url } }) => [name, url])).to.deep.equal([
        ["tickets", "https://tickets.example.com/"],
      ]);
      const refused = await notifies("others", ({ status }) => status === "False");
      expect(refused.message).to.contain("team/others cannot be read by the controller");
    });

    it("have an address in a Secret, or mail addresses", async () => {
      const both = {
        name: "a",
        kind: "mail",
        secret: "tickets",
        mailAddresses: ["a@example.com"],
        events: ["issues.new"],
      };
      expect(await refusal(apply, schedule("wrong", [both]))).to.contain("notifications of the kind mail");
      const { secret: _, ...mail } = both;
      expect(await refusal(apply, schedule("wrong", [mail, mail]))).to.contain("Duplicate value");
    });
  });
