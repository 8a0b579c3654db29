/** How much a memory may hold. A write that would exceed it fails, and says by what. */
export interface MemoryLimits {
  /** The size of a file, in bytes. Default 131,072. */
  readonly maxFileBytes?: number | undefined;
  /** The size of all files, in bytes. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many files and folders there are. Default 1,000. */
  readonly maxEntries?: number | undefined;
}
