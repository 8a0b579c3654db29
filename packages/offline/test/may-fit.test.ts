import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { mayFit } from '../src/phrases/may-fit.ts';

test.each([
  ['how many lines are in {path:path}', 'how many lines are in notes.md', true],
  ['how many lines are in {path:path}', 'how many words are in notes.md', false],
  ['(date|day|weekday) of {date}', 'the weekday of christmas', true],
  ['(date|day|weekday) of {date}', '2+2', false],
  ['(find|) (all|) {pattern:extension} files', '.ts files', true],
  // These words may be left out of a request, or be written as one.
  ['what is the date', "what's the date", true],
  ['show me the {path:path}', 'notes.md', true],
])('the phrase "%s" and the request "%s": %s', (phrase, request, fits) => {
  verifies('offline.phrases');
  expect(mayFit(phrase, request)).toBe(fits);
});
