/** Infers the indexes of items from the order of events, for gateways whose events have none. @internal */
export interface InferredIndexes {
  /** Returns the index of the item that an event of a type belongs to. */
  indexOf(type: string): number;
}

/** Creates the indexes of one reply: each item that is added, or complete without having been added, gets the next index. @internal */
export function createInferredIndexes(): InferredIndexes {
  let index = 0;
  let state: 'new' | 'open' | 'complete' = 'new';
  return {
    indexOf(type) {
      const isAdded = type === 'response.output_item.added';
      const isDone = type === 'response.output_item.done';
      if ((isAdded && state !== 'new') || (isDone && state === 'complete')) index += 1;
      if (isAdded) state = 'open';
      if (isDone) state = 'complete';
      return index;
    },
  };
}
