import type { Redactor } from '@kernel/internal';
import type { DpopSession, FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../../client/transport/server-link.ts';
import type { AuthorizationServer } from './discover.ts';
import { refreshTime, type SavedSignIn } from './saved-sign-in.ts';

/** What one sign-in or one refresh works with. */
export interface Flow {
  readonly sdk: ClientSdk;
  readonly serverUrl: URL;
  readonly server: AuthorizationServer;
  readonly saved: SavedSignIn;
  readonly dpop: DpopSession | undefined;
  readonly fetchFn: FetchLike;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** What is saved of tokens that were given now. */
export function withTokens({ server, saved }: Flow, tokens: OAuthTokens, changes: Partial<SavedSignIn>): SavedSignIn {
  const { refreshAt: _old, ...rest } = saved;
  // Who the person is, nobody here needs to know.
  const { id_token: _one, ...kept } = tokens;
  const refreshAt = refreshTime(tokens);
  return {
    ...rest,
    ...changes,
    tokens: { ...kept, issuer: server.issuer },
    ...(refreshAt === undefined ? {} : { refreshAt }),
  };
}

/** What the optional fields of a token request are. */
export function requestFields({ server, dpop, fetchFn }: Flow) {
  return {
    fetchFn,
    ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
    ...(server.resource === undefined ? {} : { resource: server.resource }),
    ...(dpop === undefined ? {} : { dpop }),
  };
}
