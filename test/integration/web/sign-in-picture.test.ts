import { expect } from "chai";
import { keepSignInPicture } from "../../../src/database/reports/sign-in-pictures.ts";
import { insertReport } from "../../support/builders.ts";
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
    await keepSignInPicture(database.db, id, Buffer.from("the first picture"));
    await keepSignInPicture(database.db, id, Buffer.from("PNG"));
    expect(await bytes()).to.equal(before + 3);
    const page = await open(client, `/reports/${id}`);
    expect(textOf(page, "main")).to.include("Step 2 (click #go) failed.").and.include("Fields are empty");
    const source = page(".shot img").attr("src") ?? "";
    expect(source).to.equal(`/reports/${id}/sign-in-picture`);
    const picture = await client.get(source);
    expect([picture.status, picture.headers.get("content-type"), picture.html]).to.deep.equal([
      200,
      "image/png",
      "PNG",
    ]);

    const reader = await service.as(undefined)("GET", `/reports/${id}`);
    expect(reader.status).to.equal(200);
    expect(reader.json.data.relationships).not.to.have.property("sign_in_picture");
    expect((await service.as(undefined)("GET", `/reports/${id}/sign_in_picture`)).status).to.equal(401);
  });
});
