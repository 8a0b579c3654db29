/** The tests of test262 that a program can be: their files, what these say of themselves, and the source that runs one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One test. */
export interface LanguageTest {
  /** Its file, from the folder `test` of the suite. */
  readonly file: string;
  /** The body of an async function in strict mode: what the suite brings for it, then the test. */
  readonly source: string;
  /** The parts of the language that it is about, as the suite names them. */
  readonly features: readonly string[];
  /** The name of the error that it must end with. */
  readonly error: string | undefined;
}

/** The folders of the suite for what a program may use: no modules, no scripts beside others, no other realms or threads. */
const FOLDERS = [
  'language/!(module-code|import|export|global-code)',
  'built-ins/!(Abstract*|Atomics|FinalizationRegistry|ShadowRealm|Shared*|Temporal|WeakRef|global)',
];

/** Tests of the tables of Unicode: they take longer than all others. */
const TABLES = join('built-ins', 'RegExp', 'property-escapes', 'generated');

/** Tests with these flags are no body of a function in strict mode. */
const OTHER_FLAGS = new Set(['noStrict', 'module', 'raw', 'CanBlockIsTrue', 'CanBlockIsFalse']);

/** What a program has on purpose not: modules, what the collector of garbage does, threads, other realms, and what only browsers have. */
const LEFT_OUT = new Set([
  'Atomics',
  'FinalizationRegistry',
  'IsHTMLDDA',
  'SharedArrayBuffer',
  'ShadowRealm',
  'Temporal',
  'WeakRef',
  'cross-realm',
  'dynamic-import',
  'host-gc-required',
  'import-attributes',
  'import-defer',
  'import.meta',
  'source-phase-imports',
]);

/** What the suite expects of its host for a test that ends later. */
const ASYNC_BEFORE = `
let $$pass, $$fail;
const $$ended = new Promise((resolve, reject) => { $$pass = resolve; $$fail = reject; });
const $DONE = (globalThis.$DONE = function (error) { if (error) $$fail(error); else $$pass(); });
`;

/** Reads the suite in a folder: every `every`-th of its tests that are programs, those alone whose files begin as one of `prefixes` says. */
export function* readSuite(folder: string, prefixes: readonly string[] = [], every = 1): Generator<LanguageTest> {
  const harness = new Map<string, string>();
  const helper = (name: string): string => {
    const text = harness.get(name) ?? readFileSync(join(folder, 'harness', name), 'utf8');
    harness.set(name, text);
    return text;
  };
  const files = FOLDERS.flatMap((pattern) => globSync(`${pattern}/**/*.js`, { cwd: join(folder, 'test') }))
    .filter((file) => !file.endsWith('_FIXTURE.js') && !file.startsWith(TABLES))
    .filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)))
    .toSorted();
  for (let at = 0; at < files.length; at += every) {
    const test = readTest(files[at] ?? '', readFileSync(join(folder, 'test', files[at] ?? ''), 'utf8'), helper);
    if (test !== undefined) yield test;
  }
}

function readTest(file: string, text: string, helper: (name: string) => string): LanguageTest | undefined {
  const about = /\/\*---(.*?)---\*\//s.exec(text)?.[1] ?? '';
  const flags = listIn(about, 'flags');
  const features = listIn(about, 'features');
  if (flags.some((flag) => OTHER_FLAGS.has(flag)) || features.some((feature) => LEFT_OUT.has(feature)))
    return undefined;
  const helpers = ['assert.js', 'sta.js', ...listIn(about, 'includes')].map((name) => helper(name)).join('\n');
  // What only the host of the suite has, such as another realm or a detached buffer.
  if (helpers.includes('$262') || text.includes('$262')) return undefined;
  const isAsync = flags.includes('async');
  const source = isAsync ? `${helpers}${ASYNC_BEFORE}${text}\nawait $$ended;` : `${helpers}\n${text}`;
  return { file, source, features, error: /negative:\s[^]*?type: (\w+)/.exec(about)?.[1] };
}

/** A list of words in what a test says of itself: `name: [a, b]`, or one a line. */
function listIn(about: string, name: string): readonly string[] {
  const found = new RegExp(String.raw`^${name}:(?: *\[([^\]]*)\]|((?:\s+- .*)+))`, 'm').exec(about);
  return (found?.[1]?.split(',') ?? found?.[2]?.split(/\s+- /) ?? [])
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
