import type { ToolPhrase } from '@kernel/offline';
import { phrases } from './phrases-of.ts';

const CONVERSION = { value: '{value}', from: '{from}', to: '{to}' };

/** How people ask for a conversion. */
export const CONVERT_PHRASES: readonly ToolPhrase[] = [
  {
    text: '(convert|change) {value:number} {from} (to|into|in) {to}',
    example: 'convert 5 miles to km',
    input: CONVERSION,
  },
  ...phrases(CONVERSION, [
    '{value:number} {from} (in|to|into|as) {to}',
    '{value:number} {from} (is|equals) how many {to}',
    'how many {to} (is|are|in|make) {value:number} {from}',
    'how many {to} (is|are) (in|there) {value:number} {from}',
    'how many {to} are there in {value:number} {from}',
    'how (hot|cold|far|long|heavy|fast) is {value:number} {from} in {to}',
  ]),
  ...phrases({ ...CONVERSION, value: 1 }, [
    'how many {to} (in|make) (a|an|one) {from}',
    'how many {to} (is|are) (in|there) (a|an|one) {from}',
    'how many {to} are there in (a|an|one) {from}',
  ]),
];
