import { availableParallelism, totalmem } from "node:os";

/** The number of a checker's processes, and the memory that each may use. */
export type WorkerMemory = {
  workers: number;
  /** Heap limit of each: enough for one process with a large document while the others have small ones. */
  heapMb: number;
};

/** The resources of this machine or container. */
export type Resources = { cores: number; memoryMb: number };

/** The checker itself, with some waiting pages and a document of 10 MB in transfer. */
const PARENT_MB = 200;
/** A process that checks pages of usual size. With 400 pages of 29 kB on average, it took up to 260 MB. */
const WORKER_MB = 300;
/** A process outside its heap. */
const OUTSIDE_HEAP_MB = 150;
const MIN_HEAP_MB = 128;

/**
 * How many processes fit, at most one per core, and with which heap. The first process gets the heap that it wants,
 * then others are added.
 */
export function divideMemory(wantedHeapMb: number, { cores, memoryMb }: Resources): WorkerMemory {
  const left = memoryMb - PARENT_MB - OUTSIDE_HEAP_MB - wantedHeapMb;
  const heapMb = Math.max(MIN_HEAP_MB, Math.min(wantedHeapMb, wantedHeapMb + left));
  return { workers: Math.max(1, Math.min(cores, 1 + Math.floor(left / WORKER_MB))), heapMb };
}

/** The cores of this process, and its memory: a container's limit, else the machine's. */
export function ownResources(): Resources {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { cores: availableParallelism(), memoryMb: Math.floor(bytes / 1024 / 1024) };
}
