import { join, sep } from 'node:path';
import type { Problem } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';
import { type TextCall, withTextCalls } from '../lib/ts.ts';

/**
 * Counts of characters: numbers of two or more, constants that are not the length of a known text, and names of amounts, also as a property or in a
 * calculation.
 */
const COUNT =
  /^(?:[2-9]|\d\d[\d_]*)$|\bMath\.min\([^)]*\b(?:[2-9]|\d\d[\d_]*)\b|(?<!\.)\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*\b(?![.(]|\w)|\b(?:n|cap|max\w*|\w*(?:Max|Limit)|most|limit|count|width|budget|room)\b(?![.(])|(?<![\w.])(?:length|size)\b/;

/** Texts that are ASCII by how they are made: times, digests and ids. */
const ASCII = /\.toISOString\(\)|\bdigest\(|\brandomUUID\(\)|\bsha256Hex\(|\bhash\(|Digest\(|toString\(36\)/;
const ID_LENGTH = 'SHORT_ID';

const SEARCHED = 'what is cut off is looked through for a pattern, and never shown';
const COMPARED = 'what is cut off is compared with others, and never shown';
/** Files that cut texts otherwise, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'packages/internal/src/truncate.ts': 'the functions that others use',
  'packages/internal/src/nearest.ts': COMPARED,
  'packages/internal/src/redact.ts': 'what it has held back is redacted as a whole',
  'packages/internal/src/secret-search.ts': SEARCHED,
  'packages/providers/src/text-tools/': SEARCHED,
  'packages/protocol/src/tool-name.ts': 'digits',
  'packages/toolbox/src/files/edit/find-sequence.ts': COMPARED,
};

/**
 * Text cuts: a text is cut to a number of characters by `sliceHead`, `sliceTail` or `truncate` of `@kernel/internal` alone, which never leave half of a surrogate
 * pair: vendors refuse a request with one.
 */
export function textCuts(root: string, tsconfig = join(root, 'scripts/tsconfig.sources.json')): readonly Problem[] {
  const files = sourceFiles(root)
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !Object.keys(EXCEPTIONS).some((prefix) => file.startsWith(prefix)));
  return withTextCalls(tsconfig, cuts, (textCalls) =>
    files.flatMap((file) => textCalls(join(root, file)).map((call) => problemOf(file, call))),
  );
}

/** Whether a call would cut a text to a number of characters. A negative end removes a known ending. */
function cuts({ arguments: given, method, receiver }: TextCall): boolean {
  const [first = '', second = ''] = given;
  if (method === 'split') return /^(?:''|""|``)$/.test(first);
  if (method === 'substring' || method === 'substr') return true;
  if (method !== 'slice' || ASCII.test(receiver)) return false;
  const counts = [...(second.startsWith('-') ? [] : [second]), ...(first.startsWith('-') ? [first.slice(1)] : [])];
  return counts.some((count) => COUNT.test(count) && !count.includes(ID_LENGTH));
}

function problemOf(file: string, { arguments: given, line, method }: TextCall): Problem {
  const message = `.${method}(${given.join(', ')}) may cut a character in two: use sliceHead, sliceTail or truncate.`;
  return { rule: 'text-cuts', file, line, message };
}
