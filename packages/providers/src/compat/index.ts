export { encodeFunction } from '../text-tools/encode-function.ts';
export type { EncodedFunction } from '../text-tools/encode-function.ts';
