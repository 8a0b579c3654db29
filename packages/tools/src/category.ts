/** The standard categories of seed 003. A tool may use any other word. */
export const TOOL_CATEGORIES = {
  /** Code manipulation and analysis. */
  code: 'code',
  /** Version control. */
  vcs: 'vcs',
  /** Build and test. */
  build: 'build',
  /** Information gathering. */
  research: 'research',
  /** Content publishing. */
  publish: 'publish',
  /** General utilities. */
  utility: 'utility',
} as const;

/** One of the standard categories. */
export type StandardCategory = keyof typeof TOOL_CATEGORIES;
