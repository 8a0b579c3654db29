import { callTool } from '@kernel/protocol';
// An MCP server that asks for sign-in: a person signs in once, in a browser; the next run has the token.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMcp } from '@kernel/mcp';
import { createSignIn, fileTokenStore, loopbackRedirect, signOut, type SignInOptions } from '@kernel/mcp/auth';
import { startSignInServer } from './servers/sign-in-server.ts';

const server = await startSignInServer();
const folder = await mkdtemp(join(tmpdir(), 'sign-in-'));

const options: SignInOptions = {
  serverUrl: server.url,
  grant: {
    type: 'authorization-code',
    clientName: 'My program',
    redirect: loopbackRedirect({
      async onUrl(url) {
        console.log(`Open ${url.origin} to sign in.`);
        await fetch(url); // open a browser instead; here the server signs everybody in
      },
    }),
  },
  store: fileTokenStore(join(folder, 'tokens.json')),
};

const answers: string[] = [];
for (const run of ['first', 'second']) {
  const tools = await connectMcp(
    { mcpServers: { example: { url: server.url } } },
    { fetch: createSignIn(options), connectTimeoutMs: 5 * 60_000 }, // as long as a person may take
  );
  const call = { type: 'tool-call', id: run, name: 'mcp__example__whoami', arguments: '{}' } as const;
  answers.push((await callTool(tools, call, { signal: AbortSignal.timeout(5000) })).forLLM);
  await tools.close();
}
await signOut(options);
await server.close();
await rm(folder, { recursive: true });

assert.deepEqual(answers, ['Ada', 'Ada']);
assert.equal(server.signIns(), 1);
