/**
 * The pictures and documents that a vendor takes in a request, which it refuses for more. An absent field limits
 * nothing.
 */
export interface MediaLimits {
  /** The media types of pictures. */
  readonly imageTypes?: readonly string[];
  /** The number of pictures in a request. */
  readonly images?: number;
  /** The bytes of one picture, before base64. */
  readonly imageBytes?: number;
  /** The pixels of the longer side of a picture. */
  readonly imageSide?: number;
  /** Width × height of a picture, in pixels. */
  readonly imageArea?: number;
  /** A stricter limit for each picture of a request with more than `above` of them. */
  readonly manyImages?: {
    /** The number of pictures up to which it does not hold. */
    readonly above: number;
    /** The pixels of the longer side. */
    readonly imageSide: number;
  };
  /** The number of documents in a request. */
  readonly documents?: number;
  /** The bytes of one document, before base64. */
  readonly documentBytes?: number;
  /** The bytes of the whole request; base64 takes a third more than the media. */
  readonly requestBytes?: number;
}
