import type { ModelOptions } from '@kernel/protocol';

/** Model options of chat completions. */
export interface ChatOptions extends ModelOptions {
  /** How verbose the reply is. */
  readonly verbosity?: 'low' | 'medium' | 'high' | null | undefined;
  /** Lowers the probability of tokens by how often they already occurred. */
  readonly frequency_penalty?: number | null | undefined;
  /** Lowers the probability of tokens that already occurred. */
  readonly presence_penalty?: number | null | undefined;
  /** What the model answers with; `audio` needs the field `audio` as well. */
  readonly modalities?: readonly ('text' | 'audio')[] | null | undefined;
  /**
   * How the model speaks, for models that can: the reply then has an audio part with its transcript, which is the reply's text. A later request names the
   * recording by its id while the vendor has it, and sends the transcript afterwards. Streams take the format `pcm16`: 24,000 samples a second.
   */
  readonly audio?:
    | {
        /** The voice: one of the vendor's, such as `alloy`, or a custom one. */
        readonly voice:
          | string
          | {
              /** The id of the custom voice. */
              readonly id: string;
            };
        /** The format of the recording. */
        readonly format: 'wav' | 'aac' | 'mp3' | 'flac' | 'opus' | 'pcm16' | (string & {});
      }
    | null
    | undefined;
  /** Which processing tier serves the request. */
  readonly service_tier?: 'auto' | 'default' | 'flex' | 'priority' | (string & {}) | null | undefined;
}
