// The objects of a heap snapshot, summed up by what they are and what they hang on: closures by function, plain objects by the names on the way to them.
import { getHeapSnapshot } from 'node:v8';

/** Types and names that say nothing by themselves. */
const NAMED_BY_OWNER = new Set(['Object', 'Array', 'Map', 'Set', 'system / Context', 'Promise', 'Generator', '']);

export async function holdersOf() {
  let text = '';
  for await (const piece of getHeapSnapshot()) text += piece;
  const { snapshot, nodes, edges, strings } = JSON.parse(text);
  const { node_fields: fields, node_types: types, edge_fields: edgeFields, edge_types: edgeTypes } = snapshot.meta;
  const [width, edgeWidth] = [fields.length, edgeFields.length];
  const [type, name, size, edgeCount] = ['type', 'name', 'self_size', 'edge_count'].map((each) => fields.indexOf(each));
  const count = nodes.length / width;
  const firstEdge = new Uint32Array(count + 1);
  for (let at = 0; at < count; at += 1) firstEdge[at + 1] = firstEdge[at] + nodes[at * width + edgeCount];

  const parent = new Int32Array(count).fill(-1);
  const via = Array.from({ length: count });
  parent[0] = 0;
  for (let queue = [0]; queue.length > 0;) {
    const next = [];
    for (const at of queue) {
      for (let edge = firstEdge[at]; edge < firstEdge[at + 1]; edge += 1) {
        const kind = edgeTypes[0][edges[edge * edgeWidth]];
        const to = edges[edge * edgeWidth + 2] / width;
        if (kind === 'weak' || parent[to] !== -1) continue;
        parent[to] = at;
        via[to] = kind === 'element' || kind === 'hidden' ? '[]' : strings[edges[edge * edgeWidth + 1]];
        next.push(to);
      }
    }
    queue = next;
  }

  function labelOf(at, depth = 0) {
    const kind = types[0][nodes[at * width + type]];
    const own = strings[nodes[at * width + name]].slice(0, 40);
    const isClear = (kind === 'object' || kind === 'closure') && !NAMED_BY_OWNER.has(own);
    if (parent[at] < 0 || at === 0 || depth > 4 || isClear) return `${kind === 'closure' ? 'function ' : ''}${own}`;
    const shown = kind === 'object' ? own : kind === 'string' ? 'string' : kind === 'closure' ? 'function' : kind;
    const isScope = own === 'system / Context';
    return `${labelOf(parent[at], depth + 1)} > ${via[at]}${isScope ? '' : `: ${shown}`}`;
  }

  const sums = new Map();
  for (let at = 0; at < count; at += 1) {
    const what = labelOf(at);
    const sum = sums.get(what) ?? { bytes: 0, count: 0 };
    sum.bytes += nodes[at * width + size];
    sum.count += 1;
    sums.set(what, sum);
  }
  return sums;
}
