import type { JsonObject } from '@kernel/protocol';

/** A whole request that is a call of a tool. It counts where the call has only arguments that the tool knows, all that it requires, and values that its schema allows. */
export interface ToolPhrase {
  /**
   * The request in English, without polite words. `(is|are)` is one of several words, `(all|)` a word that may be absent, and `{name:kind}` a value:
   * `number`, `numbers` (a list), `path`, `day` (such as 2026-12-24), `duration` (such as "3 hours" or "1.5 hours"), `weekday`, `glob`, `extension` (`.ts`, which gives `*.ts`), `word`, or `words` (one to five; the default).
   */
  readonly text: string;
  /** A request that the phrase fits, as a person writes it: offline shows the first of a tool as something to try. */
  readonly example?: string;
  /** The arguments. `{name}` in a text stands for a value, and `{material}` for the text that came with the request, such as a file. */
  readonly input: JsonObject;
}
