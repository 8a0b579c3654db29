import { EXIT } from '../exit-code.ts';

/** Each exit code and what it means, in order. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.answer, 'An answer'],
  [EXIT.failed, 'The run failed in another way, a call failed offline, or stdout cannot be written'],
  [EXIT.usage, 'Wrong usage or config; one line names the flag, or file and path'],
  [EXIT.offline, 'Offline cannot answer this'],
  [EXIT.approval, 'A call needs an approval that nobody could give'],
  [EXIT.limit, 'A limit was reached before the answer: turns, time, cost, the length of the reply'],
  [EXIT.loop, 'The model repeated the same calls'],
  [EXIT.refused, 'The provider refused the request or the key (HTTP 4xx), or filtered the reply'],
  [EXIT.network, 'The provider was not reached or not available (HTTP 5xx), or the connection broke'],
  [EXIT.interrupted, 'Interrupted by Ctrl-C, within a second'],
];
