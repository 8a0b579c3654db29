import { nearest } from '@kernel/internal';
import { oneLine } from './escape.ts';

/** A question after a name that nothing has: which of the known ones was meant. Empty if none is near. */
export function didYouMean(name: string, known: Iterable<string>, most = 1): string {
  const near = nearest(name, known, most).map((each) => oneLine(each, 80));
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}
