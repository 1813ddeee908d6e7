import { ts } from "@ts-morph/common";

/** The JavaScript API of TypeScript 5, as the package `typescript` of that version exports it (typescript-types.ts). */
export default ts;
