import type { SessionRecord } from './session-record.ts';

/** What `--json` and `sessions export` say of a session. Times are in ISO 8601. */
export function recordJson(record: SessionRecord): Readonly<Record<string, unknown>> {
  const { id, name, folder, title, provider, model, flags, turns, calls, inputTokens, outputTokens, cost, state } =
    record;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    folder,
    title,
    provider,
    model,
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    created: new Date(record.createdMs).toISOString(),
    changed: new Date(record.changedMs).toISOString(),
    state,
    turns,
    calls,
    usage: { inputTokens, outputTokens },
    ...(cost === undefined ? {} : { cost }),
  };
}
