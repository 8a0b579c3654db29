import { sliceHead } from '@kernel/internal';
import type { CommandCall } from '../../command-call.ts';
import { loadProjectApprovals } from '../../config/project-file.ts';
import { EXIT } from '../../exit-code.ts';
import { approvedContent } from '../../mcp-servers/entry-paths.ts';
import { describeEntry, shownAddress, transportOf, variablesOf } from '../../mcp-servers/server-entry.ts';
import { type AddedServer, changeServerFile, findServer, readAllServers } from '../../mcp-servers/server-files.ts';
import { noPerson, signInOptions, takesSignIn } from '../../mcp-servers/sign-ins.ts';
import { oneLine } from '../../output/escape.ts';
import { writeRows } from '../../output/terminal/table.ts';
import { forgetPins, pinsOf } from '../../user-tools/server-pins.ts';

/** Lists the servers that were added, with where they are and whether the user has signed in there. Nothing is started or called. */
export async function listServers(call: CommandCall): Promise<number> {
  const all = await readAllServers(call.host);
  const rows = await Promise.all(
    all.map(async (server) => ({
      name: server.name,
      transport: transportOf(server.entry),
      scope: server.scope,
      signedIn: await isSignedInAt(server, call),
      disabled: server.entry['disabled'] === true,
    })),
  );
  writeRows(
    call,
    rows,
    rows.map(({ name, transport, scope, signedIn, disabled }) => [
      oneLine(name, 64),
      transport,
      scope,
      [...(signedIn === true ? ['signed in'] : []), ...(disabled ? ['disabled'] : [])].join(', '),
    ]),
  );
  if (rows.length === 0) call.output.note('There are no servers. Add one with prompt-agent mcp add.');
  return EXIT.answer;
}

/** Whether the user has signed in at a server; null where nobody can. */
async function isSignedInAt(server: AddedServer, call: CommandCall): Promise<boolean | null> {
  if (!takesSignIn(server)) return null;
  const { isSignedIn } = await import('@kernel/mcp/auth');
  // An address with a variable that is not set, or none at all: nobody has signed in there.
  return signInOptions(server, noPerson(server.name), call)
    .then(isSignedIn)
    .catch(() => false);
}

/** Prints what a server starts or calls, with its secrets hidden, and the tools that it had at its last use with their hashes. */
export async function showServer(call: CommandCall): Promise<number> {
  const { flags, words, host, output } = call;
  const server = await findServer(words[0] ?? '', host, flags.scope);
  const { name, scope, path, entry } = server;
  const lines = describeEntry(entry);
  const signedIn = await isSignedInAt(server, call);
  const pins = await pinsOf(server, host, output);
  const tools = Object.entries(pins ?? {}).map(([tool, pin]) => ({ name: tool, pin }));
  if (flags.json === true) {
    const address = typeof entry['url'] === 'string' ? { url: shownAddress(entry['url']) } : {};
    const variables = variablesOf(entry);
    output.writeJson(
      { name, scope, path, transport: transportOf(entry), ...address, description: lines, variables, signedIn, tools },
      2,
    );
    return EXIT.answer;
  }
  output.write(`${oneLine(name, 64)} (${scope}, ${oneLine(path, 300)})\n`);
  for (const line of lines) output.write(`${oneLine(line, 2000)}\n`);
  if (signedIn !== null) output.write(`signed in: ${signedIn ? 'yes' : 'no'}\n`);
  output.write(tools.length === 0 ? 'tools: not used yet\n' : 'tools:\n');
  for (const tool of tools) output.write(`  ${oneLine(tool.name, 80)}  ${sliceHead(tool.pin, 12)}\n`);
  return EXIT.answer;
}

/** Removes a server from its file, and forgets its tools. What it has kept itself, and a sign-in, stay: see `mcp logout`. */
export async function removeServer(call: CommandCall): Promise<number> {
  const { flags, words, host, output } = call;
  const server = await findServer(words[0] ?? '', host, flags.scope);
  const { name, scope, path } = server;
  if ((await isSignedInAt(server, call)) === true)
    output.note(`note: the sign-in at ${name} is kept; prompt-agent mcp logout before removing takes it back.`);
  const { before = '', after } = await changeServerFile(scope, host, new Map([[name, undefined]]));
  const approvals = await loadProjectApprovals(host);
  const isApproved = scope === 'project' && approvals.find(path, (await approvedContent(before, host)).text) === true;
  if (isApproved) await approvals.save(path, (await approvedContent(after, host)).text, true);
  await forgetPins(server, host);
  if (flags.json === true) output.writeJson({ removed: name, path, scope }, 2);
  output.note(`removed from ${oneLine(path, 300)}: ${name}`);
  return EXIT.answer;
}
