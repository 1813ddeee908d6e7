import { limitOf } from "./test/support/wait.ts";

export default {
  require: ["test/support/hooks.ts"],
  reporter: "test/support/reporter.ts",
  timeout: limitOf(20),
  "forbid-only": true,
};
