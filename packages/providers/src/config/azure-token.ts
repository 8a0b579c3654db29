import { KernelError } from '@kernel/protocol';
import { importOptionalPackage } from './optional-package.ts';

/** A source of Entra tokens: any credential of `@azure/identity`. */
export interface AzureCredential {
  /** Resolves to an access token for these scopes. */
  getToken(scopes: string | string[]): Promise<{
    /** The access token, without `Bearer`. */
    readonly token: string;
  } | null>;
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
  /** The Entra tenant. Default: that of the identity. */
  readonly tenantId?: string | undefined;
  /** The scope of the token. Default: that of Azure OpenAI. */
  readonly scope?: string | undefined;
  /** A credential of your own; `@azure/identity` is then not loaded. */
  readonly credential?: AzureCredential | undefined;
}

export type AzureIdentity = Readonly<
  Record<'DefaultAzureCredential' | 'ManagedIdentityCredential', new (options: object) => AzureCredential>
>;

const PACKAGE = '@azure/identity';
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const HINT = 'Check the identity, clientId and tenantId, and that it has a role on the Azure OpenAI resource.';

/**
 * Creates a token source for `authType: 'managed_identity'` or `'bearer'`. `@azure/identity`, an optional peer, is loaded at the first
 * call; it caches tokens until shortly before they expire. The call throws `CONFIG_INVALID` if the package is missing or no token is
 * available.
 */
export function azureToken(options: AzureTokenOptions = {}): () => Promise<string> {
  return azureTokenFrom(options, () => importOptionalPackage(PACKAGE));
}

export function azureTokenFrom(options: AzureTokenOptions, load: () => Promise<unknown>): () => Promise<string> {
  let credential: Promise<AzureCredential> | undefined;
  return async () => {
    credential ??=
      options.credential === undefined ? createCredential(options, load) : Promise.resolve(options.credential);
    const ready = await credential.catch((error: unknown) => {
      credential = undefined;
      throw error;
    });
    try {
      const result = await ready.getToken(options.scope ?? SCOPE);
      if (result !== null && result.token !== '') return result.token;
    } catch (cause) {
      // The cause may hold parts of a token response: it is for logs only and is never serialized.
      throw new KernelError('CONFIG_INVALID', 'azure: the identity could not get a token.', { hint: HINT, cause });
    }
    throw new KernelError('CONFIG_INVALID', 'azure: the identity returned no token.', { hint: HINT });
  };
}

async function createCredential(options: AzureTokenOptions, load: () => Promise<unknown>): Promise<AzureCredential> {
  const { clientId, tenantId } = options;
  let identity: AzureIdentity;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own types are not needed to build this package
    identity = (await load()) as AzureIdentity;
  } catch (cause) {
    throw new KernelError('CONFIG_INVALID', `azure: the package ${PACKAGE} is not installed.`, {
      hint: `Run: npm install ${PACKAGE}. Or pass a credential of your own to azureToken.`,
      cause,
      data: { package: PACKAGE },
    });
  }
  if (options.identity === 'managed_identity') {
    return new identity.ManagedIdentityCredential(clientId === undefined ? {} : { clientId });
  }
  return new identity.DefaultAzureCredential({
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(clientId === undefined ? {} : { managedIdentityClientId: clientId }),
  });
}
