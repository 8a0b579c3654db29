import { KernelError } from '@kernel/protocol';

/**
 * Returns the cosine of the angle between two vectors: 1 for the same direction, 0 for a right angle, -1 for opposite directions. Throws
 * `CONFIG_INVALID` for vectors of different lengths, of length 0, of zeros only, or with a component that is not a finite number.
 */
export function cosineSimilarity(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length || a.length === 0) {
    throw new KernelError(
      'CONFIG_INVALID',
      `cosineSimilarity: the vectors have ${a.length} and ${b.length} components.`,
      { hint: 'Compare vectors of one model, with the same options.', data: { lengths: [a.length, b.length] } },
    );
  }
  // Scaled by its largest component, no square is too large or too small for a number.
  const [scaleA, scaleB] = [largest(a), largest(b)];
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (const [at, first] of a.entries()) {
    const x = first / scaleA;
    const y = (b[at] ?? 0) / scaleB;
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return Math.min(1, Math.max(-1, dot / Math.sqrt(squaresA * squaresB)));
}

function largest(vector: readonly number[]): number {
  let found = 0;
  for (const component of vector) {
    if (!Number.isFinite(component))
      throw new KernelError('CONFIG_INVALID', `cosineSimilarity: a component is ${String(component)}.`);
    found = Math.max(found, Math.abs(component));
  }
  if (found === 0)
    throw new KernelError('CONFIG_INVALID', 'cosineSimilarity: a vector has only zeros, so it has no direction.');
  return found;
}
