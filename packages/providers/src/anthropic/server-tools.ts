import type { JsonObject } from '@kernel/protocol';
import type { DeferredTools, HostedMcpServer, ServerTool, UserLocation } from '../config/server-tools.ts';
import { definedFields } from '../json-fields.ts';

// The versions of November 2026: https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview. For another, pass the vendor's JSON.
const WEB_SEARCH = 'web_search_20250305';
const WEB_FETCH = 'web_fetch_20250910';
const CODE_EXECUTION = 'code_execution_20250825';
const TOOL_SEARCH_VERSION = '20251119';

/** Options of web tools. */
export interface WebToolOptions {
  /** The maximum number of uses in one request. Default: no limit. */
  readonly maxUses?: number | undefined;
  /** The only domains to use, without a scheme. Not together with `blockedDomains`. */
  readonly allowedDomains?: readonly string[] | undefined;
  /** Domains to leave out, without a scheme. */
  readonly blockedDomains?: readonly string[] | undefined;
}

/** Searches the web. The vendor charges for each search. */
export function webSearch(
  options: WebToolOptions & {
    /** The user's approximate location. */
    readonly userLocation?: UserLocation | undefined;
  } = {},
): ServerTool {
  const { userLocation } = options;
  const location = userLocation && { type: 'approximate', ...definedFields({ ...userLocation }) };
  return define({ type: WEB_SEARCH, name: 'web_search', ...limitsOf(options), user_location: location });
}

/** Fetches pages whose URLs are in the conversation. */
export function webFetch(
  options: WebToolOptions & {
    /** Whether the answer cites the passages that it is based on. Default false. */
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

/** Runs commands and edits files in a container at the vendor. */
export function codeExecution(): ServerTool {
  return define({ type: CODE_EXECUTION, name: 'code_execution' }, ['code-execution-2025-08-25']);
}

/** Lets the model search for tools: deferred ones enter its context only once it has found them. */
export function toolSearch(options: {
  /** Which of your tools are deferred. */
  readonly deferredTools: DeferredTools;
  /** How the model searches: by words (`bm25`), or by a regular expression. Default `bm25`. */
  readonly by?: 'bm25' | 'regex' | undefined;
}): ServerTool {
  const { deferredTools, by = 'bm25' } = options;
  const name = `tool_search_tool_${by}`;
  return {
    ...define({ type: `${name}_${TOOL_SEARCH_VERSION}`, name }, ['advanced-tool-use-2025-11-20']),
    deferredTools,
  };
}

/** Offers the tools of an MCP server. The vendor connects to it and runs its tools without asking. */
export function mcpServer({ name, url, token, allowedTools }: HostedMcpServer): ServerTool {
  const only = allowedTools && {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowedTools.map((tool) => [tool, { enabled: true }])),
  };
  const server = definedFields({ type: 'url', url, name, authorization_token: token });
  return {
    ...define({ type: 'mcp_toolset', mcp_server_name: name, ...only }, ['mcp-client-2025-11-20']),
    fields: { mcp_servers: [server] },
  };
}

/** Declares your tool `memory` in the form that the model was trained on. Your handler runs it. `MEMORY_TOOL` describes its input. */
export function memory(): ServerTool {
  return define({ type: 'memory_20250818', name: 'memory' }, ['context-management-2025-06-27']);
}

/** Declares your tool `str_replace_based_edit_tool` in the form that the model was trained on. Your handler runs it. `TEXT_EDITOR_TOOL` describes its input. */
export function textEditor(): ServerTool {
  return define({ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' });
}

/** Declares your tool `bash` in the form that the model was trained on. Your handler runs it. `BASH_TOOL` describes its input. */
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
