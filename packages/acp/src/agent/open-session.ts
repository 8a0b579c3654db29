import { isObject, sliceHead, visibleText } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type * as Sdk from '@agentclientprotocol/sdk/unstable';
import type { CheckedOptions } from '../check-options.ts';

const AUTH_REQUIRED = -32_000;

/** Initializes the connection and opens a session in a folder, with the model and the mode that were chosen. Resolves to its id. */
export async function openAgentSession(
  sdk: typeof Sdk,
  { agent }: Sdk.ClientConnection,
  { commands, model, mode, name }: CheckedOptions,
  folder: string,
): Promise<string> {
  const hasTerminals = commands !== undefined;
  const initialized = await agent.request('initialize', {
    protocolVersion: sdk.PROTOCOL_VERSION,
    clientInfo: { name: 'kernel', version: '0.0.0' },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: hasTerminals,
      // An agent that knows it neither asks about a command of a terminal nor isolates it a second time.
      ...(hasTerminals && { _meta: { kernel: { decidesOnCommands: true } } }),
    },
  });
  if (initialized.protocolVersion !== sdk.PROTOCOL_VERSION)
    throw new KernelError(
      'TOOL_UNAVAILABLE',
      `The agent "${name}" speaks version ${String(initialized.protocolVersion)} of the protocol, and this client version ${sdk.PROTOCOL_VERSION}.`,
      { hint: 'Install a version of the agent that speaks it.' },
    );
  const opened = await agent.request('session/new', { cwd: folder, mcpServers: [] }).catch((error: unknown) => {
    if (error instanceof sdk.RequestError && error.code === AUTH_REQUIRED)
      throw signInError(name, initialized.authMethods);
    throw error;
  });
  const { sessionId, modes, configOptions } = opened;
  if (mode !== undefined) {
    const known = modes?.availableModes.map(({ id }) => id) ?? [];
    if (!known.includes(mode)) throw unknownChoice(name, 'mode', mode, known);
    await agent.request('session/set_mode', { sessionId, modeId: mode });
  }
  if (model !== undefined) {
    const option = configOptions?.find(({ category, id }) => category === 'model' || id === 'model');
    const known = option?.type === 'select' ? option.options.flatMap(valuesOf) : [];
    if (option === undefined || !known.includes(model)) throw unknownChoice(name, 'model', model, known);
    await agent.request('session/set_config_option', { sessionId, configId: option.id, value: model });
  }
  return sessionId;
}

function valuesOf(
  option: { readonly value: string } | { readonly options: readonly { readonly value: string }[] },
): readonly string[] {
  return 'value' in option ? [option.value] : option.options.map(({ value }) => value);
}

function unknownChoice(name: string, what: string, wanted: string, known: readonly string[]): KernelError {
  return new KernelError('CONFIG_INVALID', `The agent "${name}" has no ${what} "${sliceHead(wanted, 80)}".`, {
    hint:
      known.length === 0
        ? `It does not let you choose a ${what}: leave the option out.`
        : `It has ${known
            .slice(0, 30)
            .map((each) => JSON.stringify(visibleText(sliceHead(each, 80))))
            .join(', ')}.`,
  });
}

function signInError(name: string, methods: unknown): KernelError {
  const names = (Array.isArray(methods) ? methods : []).flatMap((method: unknown) =>
    isObject(method) && typeof method['name'] === 'string' ? [visibleText(sliceHead(method['name'], 80))] : [],
  );
  const ways = names.length === 0 ? '' : ` It offers: ${names.slice(0, 10).join(', ')}.`;
  return new KernelError('TOOL_UNAVAILABLE', `The agent "${name}" is not signed in.`, {
    hint: `Start it in a terminal and sign in there first, or give it its key in env.${ways}`,
  });
}

/** What the agent itself reports of an error is said as its words; any other error stays what it is. */
export function toReportedError(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || KernelError.is(error) || !('code' in error) || typeof error.code !== 'number')
    return error;
  const message = sliceHead(visibleText(error.message), 1000).replace(/\.$/, '');
  return new KernelError('TOOL_FAILED', `The agent "${name}" reports: ${message}.`);
}
