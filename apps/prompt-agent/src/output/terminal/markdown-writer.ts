import { renderBlock } from '../../markdown/render-block.ts';
import { createBlockSplitter, type MarkdownBlock } from '../../markdown/split-blocks.ts';
import { loadHighlighter } from '../../markdown/highlight.ts';
import type { Output } from '../output.ts';
import { encodeLine } from './spans.ts';

/** Writes Markdown to stdout as it arrives, each block when it is complete. */
export interface MarkdownWriter {
  push(text: string): void;
  end(): void;
  /** Forgets what has not been written. */
  discard(): void;
  /** The last line of what has not been written. */
  tail(): string;
}

/** Creates the writer; `before` is called before each block. The colours of code are loaded while the model is waited for. */
export function createMarkdownWriter(output: Output, before: () => void): MarkdownWriter {
  const splitter = createBlockSplitter();
  const { capabilities } = output;
  let hasWritten = false;
  if (capabilities.hasColors) void loadHighlighter().catch(() => undefined);

  function write(blocks: readonly MarkdownBlock[]): void {
    const look = { ...capabilities, width: capabilities.columns() };
    for (const block of blocks) {
      const lines = renderBlock(block, look).map((line) => encodeLine(line, look));
      before();
      output.writeEncoded(block.hasGap && hasWritten ? ['', ...lines] : lines);
      hasWritten = true;
    }
  }

  return {
    push: (text) => write(splitter.push(text)),
    end() {
      write(splitter.end());
      hasWritten = false;
    },
    discard: () => splitter.discard(),
    tail: () => splitter.tail(),
  };
}
