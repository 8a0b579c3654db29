/** Limits of a memory. A write that would exceed one fails and says which. */
export interface MemoryLimits {
  /** The maximum size of a file, in bytes. Default 131,072. */
  readonly maxFileBytes?: number | undefined;
  /** The maximum size of all files together, in bytes. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** The maximum number of files and folders. Default 1,000. */
  readonly maxEntries?: number | undefined;
}
