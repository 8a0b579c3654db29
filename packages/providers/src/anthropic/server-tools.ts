import type { JsonObject } from '@kernel/protocol';
import type { DeferredTools, ServerTool } from '../config/server-tools.ts';
import { definedFields } from '../json-fields.ts';

// The versions of November 2026: https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview. For another, pass the vendor's JSON.
const WEB_SEARCH = 'web_search_20250305';
const WEB_FETCH = 'web_fetch_20250910';
const CODE_EXECUTION = 'code_execution_20250825';
const TOOL_SEARCH_VERSION = '20251119';

/** Where a user is, roughly, for results of the place. */
export interface UserLocation {
  /** The city. */
  readonly city?: string | undefined;
  /** The region or state. */
  readonly region?: string | undefined;
  /** The country, as two letters of ISO 3166-1. */
  readonly country?: string | undefined;
  /** The time zone, as a name of the IANA database. */
  readonly timezone?: string | undefined;
}

/** Limits of web tools. */
export interface WebToolOptions {
  /** How often the tool may run in one request. Default: no limit. */
  readonly maxUses?: number | undefined;
  /** Only these domains, without a scheme. Not together with `blockedDomains`. */
  readonly allowedDomains?: readonly string[] | undefined;
  /** All domains but these. */
  readonly blockedDomains?: readonly string[] | undefined;
}

/** Searches the web. The vendor charges for each search. */
export function webSearch(
  options: WebToolOptions & {
    /** Where the user is. */
    readonly userLocation?: UserLocation | undefined;
  } = {},
): ServerTool {
  const { userLocation } = options;
  const location = userLocation && { type: 'approximate', ...definedFields({ ...userLocation }) };
  return define({ type: WEB_SEARCH, name: 'web_search', ...limitsOf(options), user_location: location });
}

/** Fetches pages whose addresses are in the conversation. */
export function webFetch(
  options: WebToolOptions & {
    /** Whether texts name the passages that they rest on. Default false. */
    readonly citations?: boolean | undefined;
    /** The maximum number of tokens of one page. */
    readonly maxContentTokens?: number | undefined;
  } = {},
): ServerTool {
  const { citations, maxContentTokens } = options;
  const fields = {
    citations: citations === undefined ? undefined : { enabled: citations },
    max_content_tokens: maxContentTokens,
  };
  return define({ type: WEB_FETCH, name: 'web_fetch', ...limitsOf(options), ...fields }, ['web-fetch-2025-09-10']);
}

/** Runs commands and edits files in a container of the vendor's. */
export function codeExecution(): ServerTool {
  return define({ type: CODE_EXECUTION, name: 'code_execution' }, ['code-execution-2025-08-25']);
}

/** Lets the model search for tools: those named in `deferredTools` are not in its context before it has found them. */
export function toolSearch(options: {
  /** The tools of yours that it finds: their names, or what says so of a name. */
  readonly deferredTools: DeferredTools;
  /** How it searches: by words, or by a regular expression. Default `bm25`. */
  readonly by?: 'bm25' | 'regex' | undefined;
}): ServerTool {
  const { deferredTools, by = 'bm25' } = options;
  const name = `tool_search_tool_${by}`;
  return {
    ...define({ type: `${name}_${TOOL_SEARCH_VERSION}`, name }, ['advanced-tool-use-2025-11-20']),
    deferredTools,
  };
}

/** A server of the Model Context Protocol that the vendor connects to. */
export interface HostedMcpServer {
  /** A name of your choice. */
  readonly name: string;
  /** The address of the server, with `https`. */
  readonly url: string;
  /** The server's access token. */
  readonly authorizationToken?: string | undefined;
  /** Only these tools of the server. Default: all. */
  readonly allowedTools?: readonly string[] | undefined;
}

/** Offers the tools of a server of the Model Context Protocol; the vendor connects to it and runs its tools, without asking. */
export function mcpServer({ name, url, authorizationToken, allowedTools }: HostedMcpServer): ServerTool {
  const only = allowedTools && {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowedTools.map((tool) => [tool, { enabled: true }])),
  };
  const server = definedFields({ type: 'url', url, name, authorization_token: authorizationToken });
  return {
    ...define({ type: 'mcp_toolset', mcp_server_name: name, ...only }, ['mcp-client-2025-11-20']),
    fields: { mcp_servers: [server] },
  };
}

/** The model's own way to call a tool of yours named `memory`: it runs here. `MEMORY_TOOL` describes what it is called with. */
export function memory(): ServerTool {
  return define({ type: 'memory_20250818', name: 'memory' }, ['context-management-2025-06-27']);
}

/** The model's own way to call a tool of yours named `str_replace_based_edit_tool`: it runs here. See `TEXT_EDITOR_TOOL`. */
export function textEditor(): ServerTool {
  return define({ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' });
}

/** The model's own way to call a tool of yours named `bash`: it runs here. See `BASH_TOOL`. */
export function bash(): ServerTool {
  return define({ type: 'bash_20250124', name: 'bash' });
}

function limitsOf({ maxUses, allowedDomains, blockedDomains }: WebToolOptions): Record<string, JsonField> {
  return { max_uses: maxUses, allowed_domains: allowedDomains, blocked_domains: blockedDomains };
}

type JsonField = JsonObject[string] | undefined;

function define(fields: Readonly<Record<string, JsonField>>, betas: readonly string[] = []): ServerTool {
  return { definition: definedFields(fields), betas };
}
