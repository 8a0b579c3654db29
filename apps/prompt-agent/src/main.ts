import { createRequire } from 'node:module';
import { withRetry } from '@kernel/providers';
import { checkFlags, offlineWarnings } from './options/check-flags.ts';
import { runAgent } from './commands/agent.ts';
import { isProtocol, PROTOCOLS } from './commands/protocols.ts';
import { loadConfig } from './config/load-config.ts';
import { chooseModel } from './model/choose-model.ts';
import { providers } from './model/providers.ts';
import { retryFor } from './model/retry.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { helpText, parseFlags } from './options/flags.ts';
import type { Host } from './host.ts';
import { errorNote, modelNote, retryNote } from './render/notes.ts';
import { createOutput, type Output } from './render/output.ts';

/** Runs the program and returns its exit code. Never throws. */
export async function main(host: Host): Promise<number> {
  const output = createOutput(host);
  const code = await start(host, output).catch((error: unknown) => {
    if (output.closed.aborted) return EXIT.answer;
    output.finish();
    output.note(host.signal.aborted ? 'prompt-agent: interrupted' : errorNote(error));
    return exitCodeOf(error, host.signal);
  });
  await output.settle();
  const failure = output.failure();
  if (failure === undefined) return output.closed.aborted ? EXIT.answer : code;
  output.note(`prompt-agent: ${failure}`);
  return EXIT.failed;
}

async function start(host: Host, output: Output): Promise<number> {
  const flags = parseFlags(host.argv);
  output.hide(flags.token);
  if (flags.help === true) {
    output.write(helpText());
    return EXIT.answer;
  }
  if (flags.version === true) {
    output.write(`${version()}\n`);
    return EXIT.answer;
  }
  const { protocol, prompt, warnings } = checkFlags(flags);
  const loaded = await loadConfig(flags, host, output);
  for (const warning of [...warnings, ...loaded.warnings]) output.note(`warning: ${warning}`);
  const need = protocol === 'embeddings' || protocol === 'audio' ? protocol : 'chat';
  const choice = await chooseModel(flags, loaded, host, output, need, protocol !== undefined);
  if (typeof choice.provider.token === 'string') output.hide(choice.provider.token);
  const provider = withRetry(providers.create(choice.provider), {
    ...retryFor(choice, loaded),
    onRetry: (retry) => output.note(retryNote(retry)),
  });
  output.note(modelNote(choice));
  if (choice.provider.name === 'offline')
    for (const warning of offlineWarnings(flags)) output.note(`warning: ${warning}`);
  const signal = AbortSignal.any([host.signal, output.closed]);
  const invocation = { flags, prompt, loaded, choice, provider, host, output, signal };
  const code = await (protocol !== undefined && isProtocol(protocol)
    ? PROTOCOLS[protocol](invocation)
    : runAgent(invocation));
  output.finish();
  return code;
}

function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('../package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
