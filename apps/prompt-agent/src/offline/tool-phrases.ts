import type { ToolPhrase } from '@kernel/offline';
import { CALCULATE_PHRASES } from './calculate-phrases.ts';
import { CONVERT_PHRASES } from './convert-phrases.ts';
import { DATE_PHRASES } from './date-phrases.ts';
import { GLOB_PHRASES } from './glob-phrases.ts';
import { TEXT_PHRASES } from './text-phrases.ts';

/** By the names of the program's own tools, the requests that are calls of them word by word. */
export const TOOL_PHRASES: Readonly<Record<string, readonly ToolPhrase[]>> = {
  datetime: DATE_PHRASES,
  calculate: CALCULATE_PHRASES,
  convert_units: CONVERT_PHRASES,
  inspect_text: TEXT_PHRASES,
  glob: GLOB_PHRASES,
};
