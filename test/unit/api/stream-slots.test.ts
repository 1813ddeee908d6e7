import { expect } from "chai";
import { streamSlots } from "../../../src/api/http/response/send-stream.ts";

describe("the places for exports", () => {
  it("are few of a caller, and never all taken by callers without a token", () => {
    const { take } = streamSlots();
    const given = [1, 2, 3, 4].map(() => take("address 192.0.2.1", true));
    expect(() => take("address 192.0.2.1", true)).to.throw("No more than 4");
    given[0]?.();
    given[0] = take("address 192.0.2.1", true);
    for (const _ of [1, 2, 3, 4]) take("address 192.0.2.2", true);
    expect(() => take("address 192.0.2.3", true)).to.throw("Other callers");
    for (const account of ["a", "b", "c"]) for (const _ of [1, 2, 3, 4]) take(account, false);
    expect(() => take("d", false)).to.throw("Other callers");
    for (const give of given) give();
    for (const _ of [1, 2, 3, 4]) take("d", false);
  });
});
