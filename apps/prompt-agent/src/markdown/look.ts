/** What Markdown is laid out for. */
export interface MarkdownLook {
  /** The width in columns. */
  readonly width: number;
  /** Whether there are colours and weights. */
  readonly hasColors: boolean;
  /** Whether there are hyperlinks. */
  readonly hasLinks: boolean;
}
