import type { JsonObject } from '@kernel/protocol';
import type { DeferredTools, ServerTool } from '../config/server-tools.ts';
import { definedFields } from '../json-fields.ts';

// Fields: https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools

/** Searches the web. The vendor charges for each search. */
export function webSearch(
  options: {
    /** How much of the pages the model gets. Default `medium`. */
    readonly contextSize?: 'low' | 'medium' | 'high' | undefined;
    /** Only these domains, without a scheme. */
    readonly allowedDomains?: readonly string[] | undefined;
    /** Where the user is. */
    readonly userLocation?: JsonObject | undefined;
  } = {},
): ServerTool {
  const { contextSize, allowedDomains, userLocation } = options;
  return {
    ...define({
      type: 'web_search',
      search_context_size: contextSize,
      filters: allowedDomains && { allowed_domains: allowedDomains },
      user_location: userLocation && { type: 'approximate', ...userLocation },
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

/** Runs Python in a container of the vendor's. */
export function codeInterpreter(
  options: {
    /** The id of a container that exists. Default: one is created. */
    readonly container?: string | undefined;
    /** The ids of files for a container that is created. */
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

/** Makes images. The image is the `result`, in base64, of the `providerData` of the call. */
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

/** A server of the Model Context Protocol that the vendor connects to. */
export interface HostedMcpServer {
  /** A name of your choice. */
  readonly label: string;
  /** The address of the server, with `https`. */
  readonly url: string;
  /** The server's access token. */
  readonly authorization?: string | undefined;
  /** Only these tools of the server. Default: all. */
  readonly allowedTools?: readonly string[] | undefined;
  /**
   * Whether the vendor asks before it calls a tool. Default `always`: then a tool of yours made of `MCP_APPROVAL_TOOL` gets the question, and an agent
   * asks its `approve` like for any tool with effects. A call that is denied does not run.
   */
  readonly approval?: 'always' | 'never' | undefined;
}

/** Offers the tools of a server of the Model Context Protocol; the vendor connects to it and runs its tools. */
export function mcpServer({
  label,
  url,
  authorization,
  allowedTools,
  approval = 'always',
}: HostedMcpServer): ServerTool {
  return define({
    type: 'mcp',
    server_label: label,
    server_url: url,
    authorization,
    allowed_tools: allowedTools,
    require_approval: approval,
  });
}

/** The model's own way to call a tool of yours named `shell`, made of `SHELL_TOOL`: it runs here. With `container`, the vendor runs it. */
export function shell(
  options: {
    /** The id of a container, or `auto` for a new one. Default: the commands run here. */
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

/** The model's own way to change files through a tool of yours named `apply_patch`, made of `APPLY_PATCH_TOOL`: it runs here. */
export function applyPatch(): ServerTool {
  return define({ type: 'apply_patch' });
}

/**
 * Lets the model call a tool of yours with plain text in place of JSON, as `{ input }`. The text may follow a grammar. The tool must have the same
 * name, and a string `input` in its schema.
 */
export function customTool(options: {
  /** The name of the tool. */
  readonly name: string;
  /** What the tool does. */
  readonly description?: string | undefined;
  /** The grammar of the text, in the syntax of Lark or as a regular expression. */
  readonly grammar?: { readonly syntax: 'lark' | 'regex'; readonly definition: string } | undefined;
}): ServerTool {
  const { name, description, grammar } = options;
  return define({ type: 'custom', name, description, format: grammar && { type: 'grammar', ...grammar } });
}

/** Lets the model search for tools: those named in `deferredTools` are not in its context before it has found them. */
export function toolSearch(options: {
  /** The tools of yours that it finds: their names, or what says so of a name. */
  readonly deferredTools: DeferredTools;
}): ServerTool {
  return { ...define({ type: 'tool_search' }), deferredTools: options.deferredTools };
}

function define(fields: Readonly<Record<string, JsonObject[string] | undefined>>): ServerTool {
  return { definition: definedFields(fields) };
}
