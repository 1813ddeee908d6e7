/** Changes of safe kinds, made in files. */
export { type FixedFile, fixFile } from "./fix-file.ts";
export { fixSource, type MadeFix } from "./fix-source.ts";
export { type SafeKind, safeKinds } from "./safe-kinds.ts";
