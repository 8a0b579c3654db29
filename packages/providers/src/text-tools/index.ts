export type { CallParser, MarkupEndFinder, TextCall, TextFormat } from './format.ts';
export { TEXT_FORMATS } from './formats.ts';
export type { TextFormatName } from './formats.ts';
export { detectTextCalls, withTextTools } from './with-text-tools.ts';
