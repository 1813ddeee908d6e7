import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { parseSync } from "oxc-parser";
import { hidable, withoutClobbering } from "../../../src/checker/engines/axe/clobbering.ts";

type Node = {
  type?: string;
  name?: string;
  value?: unknown;
  computed?: boolean;
  object?: Node;
  property?: Node;
  callee?: Node;
  arguments?: Node[];
};

/** The members that a script reads or sets, by name or by constant, without axe-core's own functions; and its texts. */
function membersAndTexts(source: string) {
  const members: string[] = [];
  const texts: string[] = [];
  const collect = (node: Node | null): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, computed, property, object, callee } = node;
    const isOwn = object?.object?.name === "axe" && object.property?.name === "utils";
    if (type === "MemberExpression" && property?.name && !isOwn)
      members.push(computed ? `[${property.name}]` : property.name);
    if (type === "CallExpression" && callee?.name === "$read") members.push(`[${node.arguments?.[1]?.name}]`);
    if (type === "Literal" || type === "TemplateElement") texts.push(JSON.stringify(node.value));
    for (const child of Object.values(node)) collect(child as Node);
  };
  const { program, errors } = parseSync("axe.js", source, { sourceType: "script" });
  expect(errors).to.deep.equal([]);
  collect(program as unknown as Node);
  return { members, texts };
}

describe("axe-core's source without clobbering", () => {
  it("reads the same members by constants that no control can hide, and has the same texts", async () => {
    const source = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
    const before = membersAndTexts(source);
    const safe = withoutClobbering(source);
    const own = membersAndTexts(withoutClobbering(""));
    const after = membersAndTexts(safe);
    const constants = new Map(hidable.map((name) => [name as string, `[$_${name}]`]));
    const expected = before.members.map((name) => constants.get(name) ?? name);
    expect(after.members.slice(own.members.length).sort()).to.deep.equal(expected.sort());
    expect(after.texts.slice(own.texts.length)).to.deep.equal(before.texts);
  });

  it("leaves places for data in messages as they are", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as axe-core writes it
    const message = '"Element ${data.nodeName} is hidden"';
    expect(withoutClobbering(message)).to.contain(message);
  });
});
