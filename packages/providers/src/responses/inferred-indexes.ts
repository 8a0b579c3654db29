/** The events of some gateways have no indexes. Each item that is added, or complete without having been added, then gets the next one. */
export function createInferredIndexes() {
  let index = 0;
  let state: 'new' | 'open' | 'complete' = 'new';
  return (type: string) => {
    const isAdded = type === 'response.output_item.added';
    const isDone = type === 'response.output_item.done';
    if ((isAdded && state !== 'new') || (isDone && state === 'complete')) index += 1;
    if (isAdded) state = 'open';
    if (isDone) state = 'complete';
    return index;
  };
}
