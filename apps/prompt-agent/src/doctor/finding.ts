/** One thing that the program looked for. */
export interface Finding {
  /** What was looked for. */
  readonly what: string;
  /** Whether it was found and is in order: `bad` stands in the way of an answer, `none` does not. */
  readonly state: 'ok' | 'none' | 'bad';
  /** What was found, or why not, and what to do. */
  readonly detail: string;
}

/** A group of findings under a heading. */
export interface Examination {
  /** The heading. */
  readonly title: string;
  /** What was found, in order. */
  readonly findings: readonly Finding[];
}
