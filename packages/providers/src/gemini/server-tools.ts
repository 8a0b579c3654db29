import type { ServerTool } from '../config/server-tools.ts';

// Fields: https://ai.google.dev/api/caching#Tool

/** Searches the web with Google. The vendor charges for searches. */
export function googleSearch(): ServerTool {
  return { definition: { googleSearch: {} } };
}

/** Fetches pages whose URLs are in the conversation. */
export function urlContext(): ServerTool {
  return { definition: { urlContext: {} } };
}

/** Runs Python at the vendor. */
export function codeExecution(): ServerTool {
  return { definition: { codeExecution: {} } };
}

/** Answers with data of Google Maps; `near` is the location to search around, in degrees. */
export function googleMaps(
  options: { readonly near?: { readonly latitude: number; readonly longitude: number } | undefined } = {},
): ServerTool {
  const { near } = options;
  return {
    definition: { googleMaps: {} },
    ...(near && { fields: { toolConfig: { retrievalConfig: { latLng: near } } } }),
  };
}
