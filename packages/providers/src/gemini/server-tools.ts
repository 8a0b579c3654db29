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

/** Answers with data of Google Maps. */
export function googleMaps(
  options: {
    /** The location to search around. */
    readonly near?:
      | {
          /** In degrees; north is positive. */
          readonly latitude: number;
          /** In degrees; east is positive. */
          readonly longitude: number;
        }
      | undefined;
  } = {},
): ServerTool {
  const { near } = options;
  return {
    definition: { googleMaps: {} },
    ...(near && { fields: { toolConfig: { retrievalConfig: { latLng: near } } } }),
  };
}
