/** A worker of the pool's tests: it answers, hangs or spins. */
process.on("message", ({ id, what }: { id: number; what: string }) => {
  while (what === "spin");
  if (what === "echo") process.send?.({ id, pid: process.pid });
});
process.once("disconnect", () => process.exit(0));
process.send?.({ ready: true });
