/** A worker for the pool's tests: it responds, hangs or spins. */
process.on("message", ({ id, what }: { id: number; what: string }) => {
  while (what === "spin");
  if (what === "echo") process.send?.({ id, pid: process.pid });
});
process.once("disconnect", () => process.exit(0));
process.send?.({ ready: true });
