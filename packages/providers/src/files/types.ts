import type { MediaPart } from '@kernel/protocol';

/** A file to upload, and how. */
export interface FileUpload {
  /** Its bytes. */
  readonly data: Uint8Array;
  /** Its media type, such as `application/pdf`. It decides the type of the part: `image`, `audio` or `file`. */
  readonly mimeType: string;
  /** Its file name. */
  readonly name: string;
  /** OpenAI's `purpose` of the file; other vendors have none. Default `user_data`: input for the model. */
  readonly purpose?: string | undefined;
  /** Aborts the upload. */
  readonly signal?: AbortSignal | undefined;
}

/** A file that the vendor stores. */
export interface UploadedFile {
  /** The vendor's id of the file. */
  readonly id: string;
  /** The part to put into a message to this vendor. */
  readonly part: MediaPart;
}
