import { visible } from "html-conformance/log-text";
import type { Attributes, List } from "../../../api/documents.ts";
import { number, plural } from "../../../domain/plural.ts";
import { cut, oneLine, styled, type Terminal, wrap } from "../../terminal.ts";

/** What to change first, as the API lists it. */
export type FixFirst = Pick<List<"cause">, "data" | "meta">;

/** What to change first, and what that removes; nothing for a single change, which the findings say already. */
export function causesText({ data, meta }: FixFirst, terminal: Terminal): string[] {
  if (data.length < 2) return [];
  const causes = data.map(({ attributes }) => attributes);
  return [
    ...wrap(`Fix first: ${sumOfFirst({ data, meta })}`, terminal, 0).map((line) => styled(terminal, "bold", line)),
    ...causes.flatMap((cause, index) => [
      ...wrap(`${index + 1}. ${visible(oneLine(cause.title))}: ${removes(cause)}`, terminal, 2).map(
        (line) => `  ${line}`,
      ),
      ...(cause.place === "" ? [] : [`     ${cut(oneLine(cause.place), terminal, 5)}`]),
    ]),
    "",
  ];
}

/** "these 5 changes remove 200 of 303 errors, 171 of them verified" */
export function sumOfFirst({ meta }: FixFirst): string {
  const { first, how_many, left_out } = meta;
  const all = plural(how_many + left_out.how_many, "error");
  return `these ${first.causes} changes remove ${number(first.how_many)} of ${all}, ${number(first.verified)} of them verified`;
}

/** "−38 errors, verified, template" */
export function removes({ how_many, known_by, role, num_pages }: Attributes<"cause">): string {
  return `−${plural(how_many, "error")} on ${plural(num_pages, "page")}, ${known_by.replace("_", " ")}, ${role}`;
}
