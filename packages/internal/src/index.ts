export { linkAbort, onAbort, untilAborted } from './abort.ts';
export { canonicalJson, equalJson, isObject, parsePointer, pointerToken } from './json.ts';
export { isLoopback } from './loopback.ts';
export { nearest } from './nearest.ts';
export { createRedactor, type Redactor, type StreamRedactor } from './redact.ts';
export { MIN_GUESSED_SECRET_LENGTH, MIN_SECRET_LENGTH, MIN_SECRET_SEGMENT_LENGTH } from './secret-search.ts';
export { MAX_TIMER_MS, delay } from './timers.ts';
export { sliceHead, sliceTail, truncate } from './truncate.ts';
