import { KernelError } from '@kernel/protocol';

/** What gives out Entra tokens: any credential of `@azure/identity`. */
export interface AzureCredential {
  getToken(scopes: string | string[]): Promise<{ readonly token: string } | null>;
}

/** Which identity a token is for. */
export interface AzureTokenOptions {
  /**
   * `default` tries what the machine offers (environment, workload identity, managed identity, the Azure CLI),
   * `managed_identity` only that. Default `default`.
   */
  readonly identity?: 'default' | 'managed_identity' | undefined;
  /** The client id of a user-assigned managed identity. Default: the system-assigned one. */
  readonly clientId?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Default: that of Azure OpenAI. */
  readonly scope?: string | undefined;
  /** A credential of your own in place of those; `@azure/identity` is not loaded then. */
  readonly credential?: AzureCredential | undefined;
}

/** The part of `@azure/identity` that is used. @internal */
export interface AzureIdentity {
  readonly DefaultAzureCredential: new (options: object) => AzureCredential;
  readonly ManagedIdentityCredential: new (options: object) => AzureCredential;
}

const PACKAGE = '@azure/identity';
const SCOPE = 'https://cognitiveservices.azure.com/.default';

/**
 * Makes a token source for `authType: 'managed_identity'` or `'bearer'`. `@azure/identity`, an optional peer, is loaded at
 * the first call; it keeps tokens until shortly before they expire. The call throws `CONFIG_INVALID` where the package is
 * missing, or no token is to be had.
 */
export function azureToken(options: AzureTokenOptions = {}): () => Promise<string> {
  return azureTokenFrom(options, () => import(PACKAGE));
}

/** `azureToken` with its package given. @internal */
export function azureTokenFrom(options: AzureTokenOptions, load: () => Promise<unknown>): () => Promise<string> {
  let credential: Promise<AzureCredential> | undefined;
  return async () => {
    credential ??= options.credential === undefined ? create(options, load) : Promise.resolve(options.credential);
    const ready = await credential.catch((error: unknown) => {
      credential = undefined;
      throw error;
    });
    try {
      const given = await ready.getToken(options.scope ?? SCOPE);
      if (given !== null && given.token !== '') return given.token;
    } catch (cause) {
      // The cause may hold parts of a token response: for logs only, it is never serialised.
      throw new KernelError('CONFIG_INVALID', 'azure: no token of the identity is to be had.', { hint: HINT, cause });
    }
    throw new KernelError('CONFIG_INVALID', 'azure: the identity gave no token.', { hint: HINT });
  };
}

const HINT = 'Check the identity, clientId and tenantId, and that it has a role on the Azure OpenAI resource.';

async function create(options: AzureTokenOptions, load: () => Promise<unknown>): Promise<AzureCredential> {
  const { clientId, tenantId } = options;
  let identity: AzureIdentity;
  try {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- its own types are not needed to build this package
    identity = (await load()) as AzureIdentity;
  } catch (cause) {
    throw new KernelError('CONFIG_INVALID', `azure: the package ${PACKAGE} is not installed.`, {
      hint: `Run: npm install ${PACKAGE}. Or give azureToken a credential of your own.`,
      cause,
      data: { package: PACKAGE },
    });
  }
  const tenant = tenantId === undefined ? {} : { tenantId };
  if (options.identity === 'managed_identity') {
    return new identity.ManagedIdentityCredential(clientId === undefined ? {} : { clientId });
  }
  return new identity.DefaultAzureCredential({
    ...tenant,
    ...(clientId === undefined ? {} : { managedIdentityClientId: clientId }),
  });
}
