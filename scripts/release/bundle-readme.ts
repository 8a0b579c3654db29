import type * as testing from '@kernel/testing';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readmeProgram } from './check-together.ts';
import { npmInstall, type Source } from './empty-project.ts';
import { environmentOf, type NodeBinary, run } from './shell.ts';

const PACKAGES = ['agent', 'offline', 'providers', 'testing', 'tools'];
/** What the program of README.md says of its provider. */
export const OFFLINE = `offlineProvider(); // or createProvider({ name: 'openai', token: … }) of @kernel/providers`;
/** What stands there instead: the provider of a model, if there is one. */
export const OPENAI = `process.env.OPENAI_BASE_URL === undefined
  ? offlineProvider()
  : createProvider({ name: 'openai', token: 'none', baseUrl: process.env.OPENAI_BASE_URL });`;
const ASK_PEER = `import { azureToken } from '@kernel/providers';
console.log(await azureToken()().catch((error) => error.message));`;
const PEER = `export class DefaultAzureCredential { getToken = async () => ({ token: 'found' }); }`;
const ANSWER = 'Sunny in Lisbon.';

/**
 * Builds the README's program with esbuild, webpack, vite and Next, from the packages of a registry and without an
 * optional peer, and runs what was built: without a model, and with one on 127.0.0.1. Throws if a build prints a
 * warning, or if what was built finds no peer that is installed later.
 */
export async function bundleReadme(
  root: string,
  node: NodeBinary,
  folder: string,
  version: string,
  registry: Source,
): Promise<void> {
  const program = readmeProgram(root);
  if (!program.includes(OFFLINE)) throw new Error(`The program of README.md has no line with ${OFFLINE}`);
  mkdirSync(folder, { recursive: true });
  for (const name of ['app', 'build.mjs', 'package.json', 'package-lock.json'])
    cpSync(join(root, 'scripts/rehearsal/bundlers', name), join(folder, name), { recursive: true });
  await npmInstall(
    folder,
    node,
    PACKAGES.map((name) => `@kernel/${name}@^${version}`),
    registry,
  );
  const hello = `import { createProvider } from '@kernel/providers';\n${program.replace(OFFLINE, OPENAI)}export { result };\n`;
  writeFileSync(join(folder, 'hello.mjs'), stripTypeScriptTypes(hello));
  writeFileSync(join(folder, 'peer.mjs'), ASK_PEER);

  const start = async (args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> => {
    const env = { ...environmentOf(node), NEXT_TELEMETRY_DISABLED: '1', ...variables };
    const { stdout, stderr } = await run(`${node.name}: ${args.join(' ')} fails`, node.path, args, {
      cwd: folder,
      env,
    });
    return (stdout + stderr).trim();
  };
  expectText('esbuild, webpack and vite', await start(['build.mjs']), '');
  const builds = ['esbuild', 'webpack', 'vite'];
  for (const each of builds) {
    expectText(`the build of ${each}`, await start([`out/${each}/hello.mjs`]), ANSWER);
    const missing = 'azure: the package @azure/identity is not installed.';
    expectText(`the build of ${each}, without a peer`, await start([`out/${each}/peer.mjs`]), missing);
  }
  const peer = join(folder, 'node_modules/@azure/identity');
  mkdirSync(peer, { recursive: true });
  writeFileSync(join(peer, 'package.json'), '{ "name": "@azure/identity", "type": "module", "exports": "./index.js" }');
  writeFileSync(join(peer, 'index.js'), PEER);
  for (const each of builds)
    expectText(`the build of ${each}, with a peer`, await start([`out/${each}/peer.mjs`]), 'found');

  const { startWireServer } = (await import(
    pathToFileURL(join(folder, 'node_modules/@kernel/testing/dist/index.js')).href
  )) as typeof testing;
  const server = await startWireServer({
    token: 'none',
    replies: (request) =>
      JSON.stringify(request.body).includes('"role":"tool"')
        ? { text: ANSWER }
        : { calls: [{ name: 'weather', arguments: { city: 'Lisbon' } }] },
  });
  try {
    const model = { OPENAI_BASE_URL: server.baseUrl };
    for (const each of builds)
      expectText(`the build of ${each}, with a model`, await start([`out/${each}/hello.mjs`], model), ANSWER);
    const asked = server.requests.length;
    // In CI, Next warns if it finds no cache of an earlier build.
    mkdirSync(join(folder, '.next/cache'), { recursive: true });
    const output = await start(['node_modules/next/dist/bin/next', 'build'], model);
    if (/warn|⚠/i.test(output)) throw new Error(`next build warns: ${output}`);
    expectText('the build of Next', readFileSync(join(folder, '.next/server/app/answer.body'), 'utf8'), ANSWER);
    if (server.requests.length === asked) throw new Error('The build of Next asked no model.');
  } finally {
    await server.close();
  }
}

function expectText(what: string, text: string, expected: string): void {
  if (text !== expected) throw new Error(`${what} printed ${JSON.stringify(text)}, not ${JSON.stringify(expected)}.`);
}
