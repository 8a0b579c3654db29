import type { MediaPart } from '@kernel/protocol';

/** A file to upload. */
export interface FileUpload {
  /** Its bytes. */
  readonly data: Uint8Array;
  /** Its media type, such as `application/pdf`. */
  readonly mimeType: string;
  /** Its name. */
  readonly name: string;
  /** What OpenAI is to use it for. Default `user_data`: for the model to read. */
  readonly purpose?: string | undefined;
  /** Aborts the upload. */
  readonly signal?: AbortSignal | undefined;
}

/** A file at its vendor. */
export interface UploadedFile {
  /** The vendor's name for it. */
  readonly id: string;
  /** The part that puts it into a message to this vendor. */
  readonly part: MediaPart;
}
