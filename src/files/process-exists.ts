/**
 * True for a process that exists, also for one of another user, and for one that has ended but whose parent has not
 * asked how.
 *
 * @param target a process id, or that of a process group as a negative number
 */
export function processExists(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
