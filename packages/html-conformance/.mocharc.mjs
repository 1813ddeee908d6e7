// The same name as the root's file: mocha looks for each name in all parents before it looks for the next name.
export default {
  spec: ["test/**/*.test.ts"],
  reporter: "dot",
  timeout: 300_000,
  "forbid-only": true,
};
