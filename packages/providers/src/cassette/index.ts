export { readCassette } from './cassette.ts';
export type { Cassette, CassetteEntry } from './cassette.ts';
export { withRecorder } from './recorder.ts';
export type { RecorderOptions, RecorderSink } from './recorder.ts';
export { replay } from './replay.ts';
