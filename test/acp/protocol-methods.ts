/**
 * What we do with each method, notification, update, kind of content and capability of the protocol, as an agent and as a client. `protocol-table.test.ts` compares the
 * names with the schema of the SDK: what is new there has to be decided on here.
 */

/** A test file that proves it, relative to the root of the repository; why it is not done; or that it is not decided yet. */
export type Standing = { readonly test: string } | { readonly not: string } | 'pending';

/** What we do with one part of the protocol. */
export interface Row {
  /** As `prompt-agent acp`: it handles what a client sends, and sends the rest. */
  readonly agent: Standing;
  /** As `acpAgent` of `@kernel/acp`: it sends what an agent handles, and handles the rest. */
  readonly client: Standing;
}

/** Rows by the name of the part. */
export type Rows = Readonly<Record<string, Row>>;

const both = (not: string): Row => ({ agent: { not }, client: { not } });
const pending: Row = { agent: 'pending', client: 'pending' };
const agentOnly = (not: string): Row => ({ agent: 'pending', client: { not } });

const PROXY = 'Unstable. For a program between an agent and a client, of which we have none.';
const PROVIDERS =
  "Unstable. Which model gets the files and the key of a user is said in the user's own config: a client that could change the address could read both.";
const AUTH_STATUS = 'Unstable. The first request that needs a key says which one is missing, and how to give it.';
const ARCHIVE = 'Unstable. Sessions are kept until they are deleted, and there is no second list.';
const MCP_OVER_ACP =
  'Unstable. Servers are reached over the transports of MCP, whose tools are approved by their hash.';
const SUBAGENTS =
  'Unstable. What a sub-agent does is shown within the call that started it, and approved there; it has no session of its own.';
const PLANS = 'Unstable. A session has one plan, which `plan` replaces.';
const ONE_TASK = 'A task is one session, which ends with the call.';
const OUR_SYSTEM_PROMPT =
  "Unstable. A client's text is a message of the user: the instructions of the program are not the client's.";

/** Requests and notifications, by who handles them. */
export const METHODS: Rows = {
  'agent initialize': pending,
  'agent authenticate': agentOnly('Signing in is done with the agent itself: the error names its ways.'),
  'agent logout': agentOnly('Signing out is done with the agent itself.'),
  'agent session/new': pending,
  'agent session/load': agentOnly(ONE_TASK),
  'agent session/list': agentOnly(ONE_TASK),
  'agent session/delete': agentOnly(ONE_TASK),
  'agent session/resume': agentOnly(ONE_TASK),
  'agent session/fork': agentOnly(ONE_TASK),
  'agent session/close': pending,
  'agent session/set_mode': pending,
  'agent session/set_config_option': pending,
  'agent session/prompt': pending,
  'agent session/cancel (notification)': pending,
  'agent session/archive': both(ARCHIVE),
  'agent session/unarchive': both(ARCHIVE),
  'agent session/status': both(
    'Unstable. `session/list` says what there is, and a prompt is answered when it has ended.',
  ),
  'agent session/set_title': both('Unstable. The title is made of the first prompt, as in the terminal.'),
  'agent auth/status': both(AUTH_STATUS),
  'agent providers/list': both(PROVIDERS),
  'agent providers/set': both(PROVIDERS),
  'agent providers/disable': both(PROVIDERS),
  'agent mcp/message (notification)': both(MCP_OVER_ACP),
  'client session/update (notification)': pending,
  'client session/request_permission': pending,
  'client fs/read_text_file': pending,
  'client fs/write_text_file': pending,
  'client terminal/create': pending,
  'client terminal/output': pending,
  'client terminal/wait_for_exit': pending,
  'client terminal/kill': pending,
  'client terminal/release': pending,
  'client elicitation/create': pending,
  'client elicitation/complete (notification)': pending,
  'client auth/status_update (notification)': both(AUTH_STATUS),
  'client mcp/message': both(MCP_OVER_ACP),
  'protocol $/cancel_request (notification)': pending,
  'proxy proxy/initialize': both(PROXY),
  'proxy proxy/successor': both(PROXY),
  'proxy proxy/successor (notification)': both(PROXY),
};

/** The variants of unions, by the name of the union in the schema. */
export const VARIANTS: Readonly<Record<string, Rows>> = {
  SessionUpdate: {
    user_message_chunk: pending,
    agent_message_chunk: pending,
    agent_thought_chunk: pending,
    tool_call: pending,
    tool_call_update: pending,
    plan: pending,
    plan_update: both(PLANS),
    plan_removed: both(PLANS),
    available_commands_update: pending,
    current_mode_update: pending,
    config_option_update: pending,
    session_info_update: pending,
    usage_update: pending,
    notice: pending,
    compaction_update: pending,
    compaction_summary_chunk: pending,
    subagent_update: both(SUBAGENTS),
    session_message: both(SUBAGENTS),
    session_message_chunk: both(SUBAGENTS),
  },
  PlanUpdateContent: {
    items: both(PLANS),
    file: both(PLANS),
    markdown: both(PLANS),
  },
  ContentBlock: {
    text: pending,
    image: pending,
    audio: pending,
    resource_link: pending,
    resource: pending,
  },
  ToolCallContent: {
    content: pending,
    diff: pending,
    terminal: pending,
  },
  StopReason: {
    end_turn: pending,
    max_tokens: pending,
    max_turn_requests: pending,
    refusal: pending,
    cancelled: pending,
  },
  SessionConfigOption: {
    select: pending,
    boolean: pending,
  },
  CreateElicitationRequest: {
    form: pending,
    url: pending,
    other: both('For kinds that a later version of the protocol has: refused like anything unknown.'),
  },
  AuthMethod: {
    terminal: pending,
    agent: pending,
  },
  McpServer: {
    stdio: pending,
    http: pending,
    sse: pending,
    acp: both(MCP_OVER_ACP),
  },
};

/** What an agent says that it can do. */
export const AGENT_CAPABILITIES: Rows = {
  loadSession: agentOnly(ONE_TASK),
  'promptCapabilities.image': agentOnly('A task is text.'),
  'promptCapabilities.audio': agentOnly('A task is text.'),
  'promptCapabilities.embeddedContext': agentOnly('A task is text: the agent reads the files itself.'),
  'mcpCapabilities.http': pending,
  'mcpCapabilities.sse': pending,
  'mcpCapabilities.acp': both(MCP_OVER_ACP),
  'sessionCapabilities.list': agentOnly(ONE_TASK),
  'sessionCapabilities.delete': agentOnly(ONE_TASK),
  'sessionCapabilities.additionalDirectories': agentOnly('It works in a copy of one folder.'),
  'sessionCapabilities.systemPrompt.mode.override': both(OUR_SYSTEM_PROMPT),
  'sessionCapabilities.fork': agentOnly(ONE_TASK),
  'sessionCapabilities.archive': both(ARCHIVE),
  'sessionCapabilities.status': both('Unstable, as is its method.'),
  'sessionCapabilities.title': both('Unstable, as is its method.'),
  'sessionCapabilities.resume': agentOnly(ONE_TASK),
  'sessionCapabilities.close': pending,
  'auth.status': both(AUTH_STATUS),
  'auth.logout': agentOnly('Signing out is done with the agent itself.'),
  providers: both(PROVIDERS),
};

/** What a client says that it can do. */
export const CLIENT_CAPABILITIES: Rows = {
  'fs.readTextFile': pending,
  'fs.writeTextFile': pending,
  terminal: pending,
  'session.compaction': pending,
  'session.configOptions.boolean': pending,
  'session.notices': pending,
  subagents: both(SUBAGENTS),
  plan: both(PLANS),
  'auth.terminal': agentOnly('Signing in is done with the agent itself: the error names its ways.'),
  'elicitation.form': pending,
  'elicitation.url': pending,
};
