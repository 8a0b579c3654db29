import { invalidConfig, type ProviderConfig } from '../config/provider-config.ts';
import { resolveWire, type WireSettings } from '../wire/media.ts';

/** Where Bedrock's requests go. @internal */
export interface BedrockSettings extends WireSettings {
  readonly region: string | undefined;
}

/** Resolves a config for the Converse wire. Throws `CONFIG_INVALID` when `region` is missing where the address or a signature needs it. @internal */
export function resolveBedrock(config: ProviderConfig): BedrockSettings {
  const { baseUrl, region } = config;
  const signs = config.token === undefined && config.auth !== 'none';
  if (region === undefined && (baseUrl === undefined || signs)) {
    throw invalidConfig(config.name, 'region is missing.', 'Set region, such as us-east-1.');
  }
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) {
    throw invalidConfig(config.name, `region is "${region}".`, 'Write it like us-east-1.');
  }
  const usual = `https://bedrock-runtime.${region ?? ''}.amazonaws.com`;
  return { ...resolveWire(config, { baseUrl: usual, root: '' }), region };
}
