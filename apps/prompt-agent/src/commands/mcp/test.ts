import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { connectServers } from '../../mcp-servers/connect-servers.ts';
import { fetchFor } from '../../mcp-servers/sign-ins.ts';
import { configOf, findUsable } from '../../mcp-servers/usable-servers.ts';
import { oneLine } from '../../output/escape.ts';
import { writeRows } from '../../output/terminal/table.ts';

const TIMEOUT_MS = 60_000;

/**
 * Connects to a server and prints the version of the protocol, that of the server, how many tools, resources and prompts it has, and the time that took. Its tools do
 * not run. Exits with 1 if it cannot be used, with what is wrong.
 */
export async function testServer(call: CommandCall): Promise<number> {
  const { flags, words, host, signal } = call;
  const server = await findUsable(words[0] ?? '', call);
  const { name } = server;
  const startedMs = performance.now();
  try {
    const { toolset } = await connectServers(configOf([server], host), call, {
      what: `mcp test ${name}`,
      fetch: await fetchFor([server], call),
      connectTimeoutMs: flags['max-time'] ?? TIMEOUT_MS,
    });
    try {
      const options = { server: name, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) };
      const [info, resources, templates, prompts] = await Promise.all([
        toolset.serverInfo(name, options),
        toolset.listResources(options),
        toolset.listResourceTemplates(options),
        toolset.listPrompts(options),
      ]);
      const found = {
        name,
        protocolVersion: info.protocolVersion ?? null,
        server: { name: info.name ?? null, version: info.version ?? null },
        tools: toolset.list().length,
        resources: resources.length,
        resourceTemplates: templates.length,
        prompts: prompts.length,
        milliseconds: Math.round(performance.now() - startedMs),
      };
      writeRows(call, found, [
        ['protocol', oneLine(found.protocolVersion ?? 'unknown', 40)],
        ['server', oneLine(`${found.server.name ?? 'unnamed'} ${found.server.version ?? ''}`, 120)],
        ['tools', String(found.tools)],
        ['resources', `${found.resources}, ${found.resourceTemplates} templates`],
        ['prompts', String(found.prompts)],
        ['time', `${found.milliseconds} ms`],
      ]);
      return EXIT.answer;
    } finally {
      await toolset.close();
    }
  } catch (error) {
    if (!KernelError.is(error) || signal.aborted) throw error;
    throw new KernelError('TOOL_UNAVAILABLE', error.message, { hint: error.hint, cause: error });
  }
}
