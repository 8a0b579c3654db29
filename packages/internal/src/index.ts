export { linkAbort, onAbort, untilAborted } from './abort.ts';
export { isLoopback, querySecrets, withoutQuery } from './address-secrets.ts';
export { copyBytes, createUtf8Decoder, decodeUtf8, fromBase64, toBase64 } from './bytes.ts';
export { canonicalJson, definedFields, equalJson, isObject, parseJson, parsePointer, pointerToken } from './json.ts';
export { attempt, errorMessage } from './error-message.ts';
export {
  findOnPath,
  findProgram,
  programFolders,
  programPath,
  type ProgramSearch,
  type ProgramSystem,
} from './find-program.ts';
export { inputDigest, jsonDigest } from './input-digest.ts';
export { nearest } from './nearest.ts';
export { type AsyncStorage, createAsyncStorage, hasAsyncStorage, inNextTurn, node, nodeModule } from './platform.ts';
export { childStreams, childVariables, guardExit, guardGroup, signalGroup } from './process-groups.ts';
export { hasEnded, processExists, ownIdentity, type ProcessIdentity, type ProcessView } from './process-identity.ts';
export { createRedactor, type Redactor, type StreamRedactor } from './redact.ts';
export { MIN_GUESSED_SECRET_LENGTH, MIN_SECRET_LENGTH, MIN_SECRET_SEGMENT_LENGTH } from './secret-search.ts';
export { sha256, sha256Hex } from './sha256.ts';
export { createLock, MAX_TIMER_MS, delay } from './timers.ts';
export { sliceHead, sliceTail, truncate } from './truncate.ts';
export { toJsonText, wellFormed, wellFormedJson } from './well-formed.ts';
export { escapeCharacter, INVISIBLE, terminalText, visible, visibleLine, visibleText } from './visible.ts';
