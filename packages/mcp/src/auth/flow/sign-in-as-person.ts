import { randomBytes } from 'node:crypto';
import { attempt, visibleLine } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { OAuthClientProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { type AuthorizationCodeGrant, isSecure } from '../sign-in-options.ts';
import type { OpenRedirect } from '../loopback-redirect.ts';
import { EMPTY_PROVIDER, isSameIssuer } from './discover.ts';
import { clientAuthentication, clientInformationFor, type Flow, requestFields, withTokens } from './flow.ts';
import type { SavedSignIn } from './saved-sign-in.ts';

/** The longest address that a person's browser is sent to. */
const MAX_URL_LENGTH = 16_384;

/** Has a person sign in, in a browser. */
export async function signInAsPerson(
  flow: Flow,
  grant: AuthorizationCodeGrant,
  asked: string | undefined,
): Promise<SavedSignIn> {
  const open = await grant.redirect.open(flow.signal);
  try {
    return await signInOver(open, flow, grant, asked);
  } finally {
    await open.close();
  }
}

async function signInOver(
  open: OpenRedirect,
  flow: Flow,
  grant: AuthorizationCodeGrant,
  asked: string | undefined,
): Promise<SavedSignIn> {
  const { sdk, server, serverUrl, saved, signal } = flow;
  const state = randomBytes(32).toString('base64url');
  let client = knownClient(flow, grant, open.url, asked);
  let authorizationUrl: URL | undefined;
  let verifier = '';
  const provider: OAuthClientProvider = {
    ...EMPTY_PROVIDER,
    redirectUrl: open.url,
    ...(grant.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: grant.clientMetadataUrl }),
    clientMetadata: {
      client_name: grant.clientName ?? '@kernel/mcp',
      redirect_uris: [open.url],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
      flow.redactor.add(information.client_secret);
    },
    redirectToAuthorization: (url) => void (authorizationUrl = url),
    saveCodeVerifier: (given) => void (verifier = given),
    discoveryState: () => server.state,
  };
  await sdk.auth(provider, {
    serverUrl,
    fetchFn: flow.fetchFn,
    forceReauthorization: true,
    ...(asked === undefined ? {} : { scope: asked }),
  });
  if (authorizationUrl === undefined || client === undefined) throw new Error('the SDK has built no authorization URL');
  checkAuthorizationUrl(authorizationUrl);
  const { code, error, iss } = await open.ask(authorizationUrl, state, (answer) => isFromIssuer(flow, answer.iss));
  signal.throwIfAborted();
  if (!isFromIssuer(flow, iss)) throw issuerError(server.issuer, iss);
  if (code === undefined) throw refusedError(server.issuer, error ?? '');
  const tokens = await sdk.exchangeAuthorization(server.url, {
    ...requestFields(flow),
    ...clientAuthentication(sdk, grant.client),
    clientInformation: client,
    authorizationCode: code,
    codeVerifier: verifier,
    redirectUri: open.url,
    ...(iss === undefined ? {} : { iss }),
  });
  const scope = authorizationUrl.searchParams.get('scope');
  const { client: _old, ...rest } = saved;
  return withTokens({ ...flow, saved: rest }, tokens, {
    ...(scope === null ? {} : { scope }),
    ...(grant.client === undefined ? {} : { clientIssuer: server.issuer }),
    ...('redirect_uris' in client ? { client: { ...client, issuer: server.issuer } } : {}),
  });
}

/** The client to use: the one that was passed, or the one that this program has registered with this issuer for this redirect and these scopes. */
function knownClient(
  { sdk, server, saved }: Flow,
  { client }: AuthorizationCodeGrant,
  redirectUrl: string,
  asked: string | undefined,
): StoredOAuthClientInformation | undefined {
  if (client !== undefined) return clientInformationFor(client, server.issuer, saved.clientIssuer);
  const isUsable =
    saved.client !== undefined &&
    isSameIssuer(saved.client.issuer, server.issuer) &&
    // Some servers take the port of a loopback address for a part of what is registered.
    saved.client.redirect_uris.includes(redirectUrl) &&
    // Nor does a client get scopes that it was not registered with.
    (saved.client.scope === undefined || !sdk.isStrictScopeSuperset(asked, saved.client.scope));
  return isUsable ? saved.client : undefined;
}

/** A program may hand the address to a shell or a browser. */
function checkAuthorizationUrl(url: URL): void {
  if (isSecure(url) && url.href.length <= MAX_URL_LENGTH) return;
  const what = isSecure(url) ? `of more than ${MAX_URL_LENGTH} characters` : `with ${visibleLine(url.protocol)}`;
  throw refused(
    `Its authorization server wants an address ${what} to be opened, which is not done.`,
    'An authorization server must have an https address.',
  );
}

/** Whether the issuer that was asked has answered. The answer of another one is never shown. */
function isFromIssuer({ sdk, server: { metadata } }: Flow, iss: string | undefined): boolean {
  const issParameterSupported = metadata?.authorization_response_iss_parameter_supported === true;
  const isValid = attempt(() => {
    sdk.validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported });
    return true;
  });
  return isValid === true;
}

function issuerError(issuer: string, iss: string | undefined): KernelError {
  return iss === undefined
    ? refused(
        `The answer names no issuer; ${issuer} was asked.`,
        'Sign in again; if you pasted a code, paste the whole address instead.',
      )
    : refused(
        `The answer is from another issuer; ${issuer} was asked.`,
        'Do not try again before you know why: someone may be after your credentials.',
      );
}

function refusedError(issuer: string, error: string): KernelError {
  const word = /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : '';
  return refused(
    `${issuer} has not signed the person in${word}.`,
    error === 'access_denied'
      ? 'Sign in again, and agree to what is asked.'
      : 'Sign in again; see what the browser says.',
  );
}

function refused(message: string, hint: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', message, { hint });
}
