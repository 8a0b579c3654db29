import type { JsonObject } from '@kernel/protocol';
import type { DeferredTools, HostedMcpServer, ServerTool, UserLocation } from '../config/server-tools.ts';
import { definedFields } from '../json-fields.ts';

// Fields: https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools

/** Searches the web. The vendor charges for each search. */
export function webSearch(
  options: {
    /** How much of the found pages enters the model's context. Default `medium`. */
    readonly contextSize?: 'low' | 'medium' | 'high' | undefined;
    /** The only domains to use, without a scheme. */
    readonly allowedDomains?: readonly string[] | undefined;
    /** The user's approximate location. */
    readonly userLocation?: UserLocation | undefined;
  } = {},
): ServerTool {
  const { contextSize, allowedDomains, userLocation } = options;
  return {
    ...define({
      type: 'web_search',
      search_context_size: contextSize,
      filters: allowedDomains && { allowed_domains: allowedDomains },
      user_location: userLocation && { type: 'approximate', ...definedFields({ ...userLocation }) },
    }),
    fields: { include: ['web_search_call.action.sources'] },
  };
}

/** Searches files that were uploaded to vector stores. */
export function fileSearch(options: {
  /** The ids of the vector stores. */
  readonly vectorStoreIds: readonly string[];
  /** The maximum number of results. */
  readonly maxResults?: number | undefined;
  /** A filter by attributes of files, in the vendor's form. */
  readonly filters?: JsonObject | undefined;
}): ServerTool {
  const { vectorStoreIds, maxResults, filters } = options;
  return {
    ...define({ type: 'file_search', vector_store_ids: vectorStoreIds, max_num_results: maxResults, filters }),
    fields: { include: ['file_search_call.results'] },
  };
}

/** Runs Python in a container at the vendor. */
export function codeInterpreter(
  options: {
    /** The id of an existing container. Default: one is created. */
    readonly container?: string | undefined;
    /** The ids of uploaded files to put into a new container. */
    readonly fileIds?: readonly string[] | undefined;
  } = {},
): ServerTool {
  const { container, fileIds } = options;
  return {
    ...define({
      type: 'code_interpreter',
      container: container ?? definedFields({ type: 'auto', file_ids: fileIds }),
    }),
    fields: { include: ['code_interpreter_call.outputs'] },
  };
}

/** Generates images. The image is in `providerData.result` of the `server-tool-call` part, as base64. */
export function imageGeneration(
  options: {
    /** The format of the image. Default `png`. */
    readonly format?: 'png' | 'webp' | 'jpeg' | undefined;
    /** The size, such as `1024x1024`. */
    readonly size?: string | undefined;
    /** The quality. */
    readonly quality?: 'low' | 'medium' | 'high' | 'auto' | undefined;
  } = {},
): ServerTool {
  const { format, size, quality } = options;
  return define({ type: 'image_generation', output_format: format, size, quality });
}

/** Offers the tools of an MCP server. The vendor connects to it and runs its tools. */
export function mcpServer({
  name,
  url,
  token,
  allowedTools,
  approval = 'always',
}: HostedMcpServer & {
  /**
   * Whether the vendor asks before it calls a tool. Default `always`: your tool made from `MCP_APPROVAL_TOOL` gets the question, and an agent calls
   * its `approve` as for any tool with effects. A call that is denied does not run.
   */
  readonly approval?: 'always' | 'never' | undefined;
}): ServerTool {
  return define({
    type: 'mcp',
    server_label: name,
    server_url: url,
    authorization: token,
    allowed_tools: allowedTools,
    require_approval: approval,
  });
}

/**
 * Declares your tool `shell`, made from `SHELL_TOOL`, in the form that the model was trained on. Your handler runs it. With `container`, the vendor
 * runs it.
 */
export function shell(
  options: {
    /** The id of a container at the vendor, or `auto` for a new one. Default: your handler runs the commands. */
    readonly container?: string | undefined;
  } = {},
): ServerTool {
  const { container } = options;
  const environment =
    container === undefined
      ? undefined
      : container === 'auto'
        ? { type: 'container_auto' }
        : { type: 'container_reference', container_id: container };
  return define({ type: 'shell', environment });
}

/** Declares your tool `apply_patch`, made from `APPLY_PATCH_TOOL`, in the form that the model was trained on. Your handler runs it. */
export function applyPatch(): ServerTool {
  return define({ type: 'apply_patch' });
}

/**
 * Declares your tool of the same name as one that the model calls with plain text instead of JSON; the text may be constrained to a grammar. Your
 * handler runs it and gets `{ input }`, so its schema must have a string `input`.
 */
export function customTool(options: {
  /** The name of the tool. */
  readonly name: string;
  /** What the tool does. */
  readonly description?: string | undefined;
  /** The grammar of the text. Default: any text. */
  readonly grammar?:
    | {
        /** The language of the definition: Lark, or a regular expression. */
        readonly syntax: 'lark' | 'regex';
        /** The grammar itself. */
        readonly definition: string;
      }
    | undefined;
}): ServerTool {
  const { name, description, grammar } = options;
  return define({ type: 'custom', name, description, format: grammar && { type: 'grammar', ...grammar } });
}

/** Lets the model search for tools: deferred ones enter its context only once it has found them. */
export function toolSearch(options: {
  /** Which of your tools are deferred. */
  readonly deferredTools: DeferredTools;
}): ServerTool {
  return { ...define({ type: 'tool_search' }), deferredTools: options.deferredTools };
}

function define(fields: Readonly<Record<string, JsonObject[string] | undefined>>): ServerTool {
  return { definition: definedFields(fields) };
}
