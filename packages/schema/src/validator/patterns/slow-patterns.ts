import { isExponential } from '@kernel/internal';
import { compilePattern } from './pattern.ts';

/**
 * Whether a pattern can read a text in so many ways that other validators hang on it: judged by its shape. Ours takes
 * time in proportion to the text for any pattern.
 */
export function isSlowPattern(source: string): boolean {
  return isExponential(compilePattern(source)) === true;
}
