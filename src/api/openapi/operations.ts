import { accountOperations } from "./account-operations.ts";
import type { Operation } from "./operation.ts";
import { reportOperations } from "./report-operations.ts";

/** By method and path as in the routes. */
export const operations: Readonly<Record<string, Operation>> = { ...reportOperations, ...accountOperations };
