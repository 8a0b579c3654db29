import type { ToolPhrase } from '@kernel/offline';
import { phrases } from './phrases-of.ts';

const computed = (expression: string, texts: readonly string[]): readonly ToolPhrase[] =>
  phrases({ expression }, texts);

/** How people ask for percentages, shares and averages. */
export const CALCULATE_PHRASES: readonly ToolPhrase[] = [
  ...computed('{amount} * {percent} / 100', [
    '{percent:number} (%|percent) tip (of|on) {amount:number}',
    'tip {percent:number} (%|percent) on {amount:number}',
    '(a|) tip of {percent:number} (%|percent) (on|for) {amount:number}',
    '(a|) {percent:number} (%|percent) tip (on|for) {amount:number}',
    'how much (is|would|should) (a|) {percent:number} (%|percent) tip (on|for) {amount:number}',
    'how much is {percent:number} (%|percent) of {amount:number}',
  ]),
  ...computed('{amount} * (1 + {percent} / 100)', [
    '{amount:number} plus {percent:number} (%|percent)',
    'add {percent:number} (%|percent) to {amount:number}',
    '{amount:number} (with|plus|and) (a|) {percent:number} (%|percent) tip',
    '{amount:number} increased by {percent:number} (%|percent)',
  ]),
  ...computed('{amount} * (1 - {percent} / 100)', [
    '{amount:number} (minus|less) {percent:number} (%|percent)',
    '(subtract|take) {percent:number} (%|percent) from {amount:number}',
    '{percent:number} (%|percent) off (of|) {amount:number}',
    '{amount:number} (with|at) (a|) {percent:number} (%|percent) (discount|off)',
    '{amount:number} decreased by {percent:number} (%|percent)',
  ]),
  ...computed('{part} / {whole} * 100', [
    '{part:number} is what (percent|percentage|%) of {whole:number}',
    'what (percent|percentage|%) of {whole:number} is {part:number}',
    '{part:number} as (a|) (percent|percentage) of {whole:number}',
  ]),
  ...computed('{total} / {people}', [
    '(split|divide) (bill|) (of|) {total:number} (between|among|by) {people:number} (people|persons|friends|ways|of|) (us|)',
    'split {total:number} {people:number} ways',
  ]),
  ...computed('{a} + {b}', ['add {a:number} to {b:number}']),
  ...computed('{b} - {a}', ['subtract {a:number} from {b:number}']),
  ...computed('{a} * {b}', ['multiply {a:number} (by|and) {b:number}', 'product of {a:number} and {b:number}']),
  ...computed('{a} / {b}', ['divide {a:number} by {b:number}']),
  ...computed('mean({numbers})', ['(average|mean) of {numbers:numbers}', '(average|mean) {numbers:numbers}']),
  ...computed('median({numbers})', ['median of {numbers:numbers}']),
  ...computed('sum({numbers})', ['(sum|total) of {numbers:numbers}', '(sum|add) (up|) {numbers:numbers}']),
  ...computed('max({numbers})', [
    '(maximum|max|largest|biggest|highest|greatest) (number|value|) of {numbers:numbers}',
  ]),
  ...computed('min({numbers})', ['(minimum|min|smallest|lowest|least) (number|value|) of {numbers:numbers}']),
];
