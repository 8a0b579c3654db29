import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { bundleReadme } from './bundle-readme.ts';
import { checkInstalled, checkStandaloneTypes, standaloneProgram, runStandalone } from './check-package.ts';
import {
  copyExamples,
  dependenciesOfExamples,
  exampleNames,
  followReadme,
  loadEveryEntry,
  runExample,
} from './check-together.ts';
import { installInto, type Source } from './empty-project.ts';
import { runAll, type NodeBinary } from './shell.ts';

/** The folder of the program, which is used alone in every rehearsal. */
const PROGRAM = 'apps/prompt-agent';

/**
 * Uses the packages that a registry has, on each Node: each alone, all together with the examples, and as the README says. `root` is the tree that
 * they were made from. `isShort` leaves out the examples, which the tests of `examples` run on packed packages, and of those alone all but the program. Returns every failure.
 */
export async function useEverything(
  root: string,
  folder: string,
  nodes: readonly NodeBinary[],
  source: Source,
  isShort: boolean,
): Promise<readonly unknown[]> {
  const limit = availableParallelism();
  const projectOf = (node: NodeBinary, name: string): string =>
    join(folder, node.name.replace(' ', '-'), name.replace('/', '-'));
  const ours = publishedFolders(root).map((each) => readManifest(root, each) as { name: string; version?: string });
  const everything = {
    ...Object.fromEntries(ours.map(({ name, version }) => [name, `^${version}`])),
    ...(isShort ? {} : dependenciesOfExamples(root)),
  };
  const [first, ...others] = nodes;
  if (first === undefined) return [];
  const together = (node: NodeBinary): Promise<void> =>
    installInto(projectOf(node, 'together'), node, everything, source);
  const alone = publishedFolders(root).filter((each) => !isShort || each === PROGRAM);
  // The others join the program where it was alone: what it brings along is installed once.
  if (isShort) await useAlone(root, PROGRAM, nodes, projectOf(first, 'together'), source);
  // Before the rest, which finds the packages of others in the cache.
  await together(first);
  const installs = await runAll(
    [
      ...others.map((node) => () => together(node)),
      () => bundleReadme(root, first, projectOf(first, 'bundlers'), ours[0]?.version ?? '', source),
      ...nodes.map((node) => () => followReadme(root, node, projectOf(node, 'readme'), source)),
      ...(isShort ? [] : alone.map((each) => () => useAlone(root, each, nodes, projectOf(first, each), source))),
    ],
    limit,
  );
  if (installs.length > 0) return installs;
  const names = isShort ? [] : exampleNames(root);
  if (!isShort) for (const node of nodes) copyExamples(root, projectOf(node, 'together'));
  const uses = nodes.flatMap((node) => {
    const project = projectOf(node, 'together');
    return [
      () => loadEveryEntry(root, node, project),
      ...names.map((name) => () => runExample(root, node, project, name)),
    ];
  });
  const failures = await runAll(uses, limit);
  console.log(
    `${nodes.map(({ name }) => name).join(', ')}: ${ours.length} packages together, ${alone.length} alone, ${names.length} examples, and the program of README.md, also built by esbuild, webpack, vite and Next`,
  );
  return failures;
}

/**
 * Installs one package alone, and runs it from there on each Node. Whether a Node may install it, and all that it brings along, is what the
 * installations of all together have shown, each on its own Node: its engines are the only thing of a package that differs from Node to Node.
 */
async function useAlone(
  root: string,
  folder: string,
  nodes: readonly NodeBinary[],
  project: string,
  source: Source,
): Promise<void> {
  const [first] = nodes;
  if (first === undefined) return;
  const { name, version } = readManifest(root, folder) as { name: string; version?: string };
  await installInto(project, first, { [name]: `^${version}` }, source);
  const program = standaloneProgram(root, folder);
  // oxlint-disable-next-line no-await-in-loop -- one after another: other packages are used at the same time
  for (const node of nodes) await runStandalone(node, project, program);
  if (program !== undefined) await checkStandaloneTypes(root, project, program);
  console.log(checkInstalled(root, name, project));
}
