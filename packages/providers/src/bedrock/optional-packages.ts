import type * as credentialProviders from '@aws-sdk/credential-providers';
import type * as eventStreams from '@smithy/core/event-streams';
import type * as signature from '@smithy/signature-v4';
import { decodeUtf8, nodeModule } from '@kernel/internal';
import { concatBytes } from '../http/join-bytes.ts';
import { KernelError } from '@kernel/protocol';
import { joinBytes } from '../http/join-bytes.ts';
import { importOptionalPackage } from '../config/optional-package.ts';
import type { AwsCredentials } from './config.ts';

interface SignableRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

export type SignRequest = (request: SignableRequest) => Promise<Record<string, string>>;

/** Throws if a checksum does not match. */
export type ReadFrame = (bytes: Uint8Array) => {
  /** Only headers whose value is text. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
};

/** If there is no `source`, the credential chain of the AWS SDK is used. `onCredentials` is called before each signature, and may throw. */
export async function loadSigner(
  region: string,
  source: (() => Promise<AwsCredentials>) | undefined,
  profile: string | undefined,
  onCredentials: (credentials: AwsCredentials) => void,
): Promise<SignRequest> {
  const { SignatureV4 } = await loadPackage<typeof signature>('@smithy/signature-v4');
  type Sha256 = ConstructorParameters<typeof SignatureV4>[0]['sha256'];
  const fetchCredentials = source ?? (await loadCredentialChain(profile));
  const signer = new SignatureV4({
    region,
    service: 'bedrock',
    // `new` on a function that returns an object returns that object, which the types cannot express.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    sha256: createSha256 as unknown as Sha256,
    credentials: async () => {
      const credentials = await fetchCredentials();
      onCredentials(credentials);
      const { accessKeyId, secretAccessKey, sessionToken } = credentials;
      return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    },
  });
  return async (request) => {
    try {
      return (await signer.sign(request)).headers;
    } catch (error) {
      if (KernelError.is(error)) throw error;
      throw new KernelError('CONFIG_INVALID', 'bedrock: no AWS credentials were found, or they cannot sign.', {
        hint: 'Set credentials or token of createProvider, or what the AWS SDK reads (environment, profile, role).',
        cause: error,
      });
    }
  };
}

export async function loadFrameReader(): Promise<ReadFrame> {
  const { EventStreamCodec } = await loadPackage<typeof eventStreams>('@smithy/core/event-streams');
  const codec = new EventStreamCodec(toText, (text) => joinBytes([text]));
  return (bytes) => {
    const { body, headers } = codec.decode(bytes);
    const texts = Object.entries(headers).flatMap(([name, header]) =>
      header.type === 'string' ? [[name, header.value] as const] : [],
    );
    return { body, headers: new Map(texts) };
  };
}

async function loadCredentialChain(profile: string | undefined): Promise<() => Promise<AwsCredentials>> {
  const { fromNodeProviderChain } = await loadPackage<typeof credentialProviders>('@aws-sdk/credential-providers');
  return fromNodeProviderChain(profile === undefined ? {} : { profile });
}

async function loadPackage<T>(specifier: string): Promise<T> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the package that has this name
    return (await importOptionalPackage(specifier)) as T;
  } catch (error) {
    const name = specifier.split('/', 2).join('/');
    throw new KernelError('PROVIDER_UNSUPPORTED', `bedrock needs the package ${name}, which cannot be loaded.`, {
      hint: `Install it next to @kernel/providers: npm install ${name}`,
      cause: error,
    });
  }
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** Has the shape that the signer expects. It is called with `new`, so it cannot be an arrow function. */
function createSha256(secret?: Bytes): {
  update(data: Bytes): void;
  digest(): Promise<Uint8Array>;
  reset(): void;
} {
  const key = secret === undefined ? undefined : toBytes(secret);
  let parts: Uint8Array[] = [];
  return {
    update: (data) => void parts.push(toBytes(data)),
    digest: () => digestOf(concatBytes(parts), key),
    reset() {
      parts = [];
    },
  };
}

async function digestOf(data: Uint8Array, key: Uint8Array | undefined): Promise<Uint8Array> {
  const crypto = nodeModule('node:crypto');
  if (crypto !== undefined) {
    return (key === undefined ? crypto.createHash('sha256') : crypto.createHmac('sha256', key)).update(data).digest();
  }
  const { subtle } = globalThis.crypto;
  // Copied, because the web's functions take no memory that may be shared.
  const bytes = new Uint8Array(data);
  if (key === undefined) return new Uint8Array(await subtle.digest('SHA-256', bytes));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign']);
  return new Uint8Array(await subtle.sign(algorithm.name, imported, bytes));
}

function toText(bytes: Uint8Array | string): string {
  return typeof bytes === 'string' ? bytes : decodeUtf8(bytes);
}

function toBytes(data: Bytes): Uint8Array {
  if (typeof data === 'string') return joinBytes([data]);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
