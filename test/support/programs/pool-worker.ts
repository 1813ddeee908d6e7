/** A worker of the pool's tests: it answers, or it hangs. */
process.on("message", ({ id, what }: { id: number; what: string }) => {
  if (what === "echo") process.send?.({ id, pid: process.pid });
});
process.once("disconnect", () => process.exit(0));
process.send?.({ ready: true });
