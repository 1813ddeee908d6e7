import { expect } from "chai";
import { keepSignInPictures } from "../../../src/database/reports/sign-in-pictures.ts";
import type { SignInPicture } from "../../../src/domain/sign-in/sign-in-picture.ts";
import { insertReport, signInPicture } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("The page of a report whose sign-in failed", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  it("shows the last picture to its owner alone, and counts its bytes once", async () => {
    const { database, accountId, client, service } = scene;
    const id = await insertReport(database.db, { accountId });
    const failure = { failure_code: "sign_in_failed", failure_detail: "Step 2 (click #go) failed." } as const;
    await setReport(database.db, id, { phase: "Failed", shared: true, ...failure });
    const bytes = async () => {
      const row = await database.db
        .selectFrom("reports")
        .select("stored_bytes")
        .where("id", "=", id)
        .executeTakeFirst();
      return Number(row?.stored_bytes);
    };
    const none = await open(client, `/reports/${id}`);
    expect(none(".shot")).to.have.length(0);

    const before = await bytes();
    const keep = (...pictures: Partial<SignInPicture>[]) =>
      keepSignInPictures(database.db, id, pictures.map(signInPicture));
    await keep({ step: 3, action: "", failed: true, png: Buffer.from("the page of an earlier failure") });
    await keep({ failed: true, png: Buffer.from("the first picture") });
    await keep({ failed: true });
    expect(await bytes()).to.equal(before + 3);
    const page = await open(client, `/reports/${id}`);
    expect(textOf(page, "main")).to.include("Step 2 (click #go) failed.").and.include("Only you see these pictures.");
    expect(textOf(page, "main")).to.include("Nobody could sign in here: click #go");
    const source = page(".shot img").attr("src") ?? "";
    expect(source).to.equal(`/reports/${id}/sign-in-pictures/2`);
    const picture = await client.get(source);
    expect([picture.status, picture.headers.get("content-type"), picture.html]).to.deep.equal([
      200,
      "image/png",
      "PNG",
    ]);

    const reader = await service.as(undefined)("GET", `/reports/${id}`);
    expect(reader.status).to.equal(200);
    expect(reader.json.data.attributes).not.to.have.property("sign_in_pictures");
    expect((await service.as(undefined)("GET", `/reports/${id}/sign_in_pictures/2`)).status).to.equal(401);
  });

  it("shows the page after each step of a sign-in that worked, open in a trial of one page", async () => {
    const { database, accountId, client } = scene;
    const pageOf = async (maxPages: number) => {
      const id = await insertReport(database.db, { accountId, spec: { maxPages } });
      const first = signInPicture({ step: 1, action: "open https://example.com/sign-in" });
      await keepSignInPictures(database.db, id, [signInPicture(), first]);
      return open(client, `/reports/${id}`);
    };
    const page = await pageOf(1);
    const steps = page(".steps li:has(.shot)").map((_, step) => page(step).text().replace(/\s+/g, " ").trim());
    expect(steps.get()).to.deep.equal(["1 open https://example.com/sign-in", "2 click #go"]);
    expect(page("details[open] .shot")).to.have.length(2);
    expect((await pageOf(10))("details[open] .shot")).to.have.length(0);
  });

  it("shows the last attempt: what failed before is gone, and a later failure is beside the steps that were done", async () => {
    const { database, accountId, token, service } = scene;
    const id = await insertReport(database.db, { accountId });
    const kept = async () => {
      const { data } = (await service.as(token)("GET", `/reports/${id}`)).json;
      const pictures = data.attributes.sign_in_pictures as { step: number; failed: boolean }[];
      return pictures.map(({ step, failed }) => (failed ? `${step} failed` : `${step}`));
    };
    const [one, two] = [signInPicture({ step: 1 }), signInPicture({ step: 2 })];
    await keepSignInPictures(database.db, id, [one, signInPicture({ failed: true })]);
    expect(await kept()).to.deep.equal(["1", "2 failed"]);
    await keepSignInPictures(database.db, id, [one, two]);
    expect(await kept()).to.deep.equal(["1", "2"]);
    await keepSignInPictures(database.db, id, [signInPicture({ failed: true, png: Buffer.from("failed") })]);
    expect(await kept()).to.deep.equal(["1", "2 failed"]);
    expect((await service.as(token)("GET", `/reports/${id}/sign_in_pictures/2`)).text).to.equal("failed");
    await keepSignInPictures(database.db, id, []);
    expect(await kept()).to.deep.equal(["1", "2"]);
  });

  it("answers that there is no such picture for what is no step", async () => {
    const { database, accountId, client } = scene;
    const id = await insertReport(database.db, { accountId });
    await keepSignInPictures(database.db, id, [signInPicture()]);
    for (const step of ["0", "1", "-2", "2.5", "2.0", "02", "0x2", "two", "1e9", "99999999999999"])
      expect((await client.get(`/reports/${id}/sign-in-pictures/${step}`)).status, step).to.equal(404);
  });
});
