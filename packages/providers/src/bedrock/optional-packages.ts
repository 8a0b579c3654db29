import { createHash, createHmac } from 'node:crypto';
import { KernelError } from '@kernel/protocol';
import type { AwsCredentials } from '../config/provider-config.ts';

/** A request as a signer takes it. @internal */
interface SignableRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

/** Signs a request: resolves to its headers with the signature. @internal */
export type SignRequest = (request: SignableRequest) => Promise<Record<string, string>>;

/** One frame of an event stream: its text headers and its body. @internal */
interface Frame {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Reads one whole frame; throws for one whose checksums do not hold. @internal */
export type ReadFrame = (bytes: Uint8Array) => Frame;

/** Loads the signer of AWS requests. Without `source` it asks the chain of the AWS SDK. What it signs with is told to `onCredentials` first. @internal */
export async function loadSigner(
  region: string,
  source: (() => Promise<AwsCredentials>) | undefined,
  onCredentials: (credentials: AwsCredentials) => void,
): Promise<SignRequest> {
  const { SignatureV4 } = await peer('@smithy/signature-v4', () => import('@smithy/signature-v4'));
  const fetchCredentials = source ?? (await loadChain());
  const signer = new SignatureV4({
    region,
    service: 'bedrock',
    sha256: Sha256,
    credentials: async () => {
      const given = await fetchCredentials();
      onCredentials(given);
      const { accessKeyId, secretAccessKey, sessionToken } = given;
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

/** Loads the reader of event-stream frames. @internal */
export async function loadFrameReader(): Promise<ReadFrame> {
  const { EventStreamCodec } = await peer('@smithy/core', () => import('@smithy/core/event-streams'));
  const codec = new EventStreamCodec(toText, (text) => Buffer.from(text, 'utf8'));
  return (bytes) => {
    const { body, headers } = codec.decode(bytes);
    const texts = Object.entries(headers).flatMap(([name, header]) =>
      header.type === 'string' ? [[name, header.value] as const] : [],
    );
    return { body, headers: new Map(texts) };
  };
}

async function loadChain(): Promise<() => Promise<AwsCredentials>> {
  const { fromNodeProviderChain } = await peer(
    '@aws-sdk/credential-providers',
    () => import('@aws-sdk/credential-providers'),
  );
  return fromNodeProviderChain();
}

async function peer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new KernelError('PROVIDER_UNSUPPORTED', `bedrock needs the package ${name}, which cannot be loaded.`, {
      hint: `Install it beside @kernel/providers: npm install ${name}`,
      cause: error,
    });
  }
}

/** SHA-256 and its HMAC as the signer wants them, over Node's own. */
class Sha256 {
  readonly secret: Uint8Array | undefined;
  hash: { update(data: Uint8Array): unknown; digest(): Uint8Array };

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.secret = secret === undefined ? undefined : toBytes(secret);
    this.hash = start(this.secret);
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(toBytes(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest());
  }

  reset(): void {
    this.hash = start(this.secret);
  }
}

function toText(bytes: Uint8Array | string): string {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
}

function start(secret: Uint8Array | undefined): Sha256['hash'] {
  return secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
