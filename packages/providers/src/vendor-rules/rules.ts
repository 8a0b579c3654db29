import type { MediaLimits } from '@kernel/protocol';

/** What the rules of the table say about one vendor and model. An absent field limits nothing. */
export interface VendorLimits extends MediaLimits {
  /** Who must speak after tool results: a user's message right after them is refused. */
  readonly afterResults?: 'assistant';
  /** Whether a message of the model must have text or calls. */
  readonly emptyReply?: 'refused';
  /** Whether the last message of a request may be the model's. */
  readonly lastReply?: 'refused';
  /** The messages of the model that need `reasoning_content`: those with calls, or all. */
  readonly reasoningContent?: 'with-calls' | 'all';
  /** The signature that stands for one that another vendor's calls don't have. */
  readonly foreignSignature?: string;
  /** The names of properties in a tool's schema. */
  readonly propertyNames?: RegExp;
  /** The characters of a tool's description. */
  readonly description?: number;
  /** The number of tools in a request. */
  readonly tools?: number;
  /** The keywords at the root of a tool's schema. */
  readonly rootKeys?: readonly string[];
  /** Whether a model's thinking goes back without a signature. */
  readonly unsignedThinking?: 'required';
}

/** One rule: where it holds, what it limits, the limit, where that is said, and when it was read. */
export type VendorRule = {
  [What in keyof VendorLimits]-?: readonly [
    /** A vendor, or `*` for any; behind a slash a pattern of model names. */
    where: string,
    what: What,
    limit: NonNullable<VendorLimits[What]>,
    source: string,
    read: string,
  ];
}[keyof VendorLimits];

const MIB = 1024 * 1024;
const CLAUDE_VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const OPENAI_VISION = 'https://platform.openai.com/docs/guides/images-vision';
const GEMINI_IMAGES =
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/capabilities/image-understanding';
const GEMINI_FILES = 'https://firebase.google.com/docs/ai-logic/input-file-requirements';
const BEDROCK_MESSAGE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html';
const GROQ_VISION = 'https://console.groq.com/docs/vision';
const XAI_IMAGES = 'https://docs.x.ai/docs/guides/image-understanding';

const ANTHROPIC_NAMES = 'https://github.com/beautyfree/appstore-connect-mcp/issues/2';
const BEDROCK_NAMES =
  'https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709';
const AZURE_LIMITS = 'https://learn.microsoft.com/azure/ai-services/openai/quotas-limits';
const AZURE_DESCRIPTION = 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/function-calling';
const NOVA_TOOLS = 'https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html';
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const MISTRAL_ORDER = 'https://github.com/zed-industries/zed/pull/31736';
const MISTRAL_EMPTY = 'https://github.com/OpenHands/OpenHands/issues/8685';
const DEEPSEEK_THINKING = 'https://api-docs.deepseek.com/guides/thinking_mode';
const KIMI_THINKING = 'https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model';
const GEMINI_SIGNATURES = 'https://ai.google.dev/gemini-api/docs/thought-signatures';
const UNSIGNED = 'https://github.com/NousResearch/hermes-agent/pull/17510';
const MISTRAL_MODELS = '*/mi[sx]tral|magistral|ministral|devstral|codestral|pixtral';

const COMMON = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** What vendors refuse, and with it a whole request. A later rule wins over an earlier one about the same. */
export const VENDOR_RULES: readonly VendorRule[] = [
  ['anthropic', 'imageTypes', COMMON, CLAUDE_VISION, '2026-11'],
  ['anthropic', 'imageSide', 8000, CLAUDE_VISION, '2026-11'],
  ['anthropic', 'manyImages', { above: 20, imageSide: 2000 }, CLAUDE_VISION, '2026-11'],
  ['anthropic', 'imageBytes', 7.5 * MIB, CLAUDE_VISION, '2026-11'], // 10 MB as base64
  ['anthropic', 'images', 600, CLAUDE_VISION, '2026-11'],
  // Models with a context of 200,000 tokens.
  ['anthropic/claude-3|haiku|-4(-[0-5])?(-\\d{8})?$', 'images', 100, CLAUDE_VISION, '2026-11'],
  ['anthropic', 'requestBytes', 32 * MIB, CLAUDE_VISION, '2026-11'],
  ['bedrock', 'imageTypes', COMMON, BEDROCK_MESSAGE, '2026-11'],
  ['bedrock', 'imageSide', 8000, BEDROCK_MESSAGE, '2026-11'],
  ['bedrock', 'imageBytes', 3.75 * MIB, BEDROCK_MESSAGE, '2026-11'],
  ['bedrock', 'images', 20, BEDROCK_MESSAGE, '2026-11'],
  ['bedrock', 'documents', 5, BEDROCK_MESSAGE, '2026-11'],
  ['bedrock', 'documentBytes', 4.5 * MIB, BEDROCK_MESSAGE, '2026-11'],
  ['openai', 'imageTypes', COMMON, OPENAI_VISION, '2026-11'],
  ['openai', 'images', 500, OPENAI_VISION, '2026-11'],
  ['openai', 'requestBytes', 50 * MIB, OPENAI_VISION, '2026-11'],
  ['openai-responses', 'imageTypes', COMMON, OPENAI_VISION, '2026-11'],
  ['openai-responses', 'images', 500, OPENAI_VISION, '2026-11'],
  ['openai-responses', 'requestBytes', 50 * MIB, OPENAI_VISION, '2026-11'],
  [
    'gemini',
    'imageTypes',
    ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
    GEMINI_IMAGES,
    '2026-11',
  ],
  ['gemini', 'images', 3000, GEMINI_IMAGES, '2026-11'],
  ['gemini', 'requestBytes', 20 * MIB, GEMINI_FILES, '2026-11'],
  ['groq', 'images', 5, GROQ_VISION, '2026-11'],
  ['groq', 'imageArea', 33_177_600, GROQ_VISION, '2026-11'],
  ['groq', 'requestBytes', 4 * MIB, GROQ_VISION, '2026-11'],
  ['xai', 'imageTypes', ['image/png', 'image/jpeg'], XAI_IMAGES, '2026-11'],
  ['xai', 'imageBytes', 20 * MIB, XAI_IMAGES, '2026-11'],
  ['anthropic', 'propertyNames', PROPERTY_NAME, ANTHROPIC_NAMES, '2026-04'],
  ['bedrock', 'propertyNames', PROPERTY_NAME, BEDROCK_NAMES, '2026-08'],
  ['*/claude', 'propertyNames', PROPERTY_NAME, ANTHROPIC_NAMES, '2026-04'],
  ['azure', 'tools', 128, AZURE_LIMITS, '2026-11'],
  ['azure', 'description', 1024, AZURE_DESCRIPTION, '2026-11'],
  ['bedrock/nova', 'rootKeys', ['type', 'properties', 'required'], NOVA_TOOLS, '2026-11'],
  ['mistral', 'afterResults', 'assistant', MISTRAL_ORDER, '2025-05'],
  [MISTRAL_MODELS, 'afterResults', 'assistant', 'https://github.com/NousResearch/hermes-agent/issues/20154', '2026-05'],
  ['mistral', 'emptyReply', 'refused', MISTRAL_EMPTY, '2025-05'],
  [MISTRAL_MODELS, 'emptyReply', 'refused', MISTRAL_EMPTY, '2025-05'],
  ['mistral', 'lastReply', 'refused', 'https://github.com/0xPlaygrounds/rig/pull/1130', '2025-12'],
  ['xai', 'emptyReply', 'refused', 'https://github.com/AstrBotDevs/AstrBot/issues/6447', '2026-03'],
  ['*/grok', 'emptyReply', 'refused', 'https://github.com/AstrBotDevs/AstrBot/issues/6447', '2026-03'],
  [
    '*/claude.*(-4-[6-9]|4\\.[6-9]|-(5|6|7|8|9)(?!\\d))',
    'lastReply',
    'refused',
    'https://github.com/vercel/ai/issues/12296',
    '2026-02',
  ],
  ['deepseek', 'reasoningContent', 'with-calls', DEEPSEEK_THINKING, '2026-11'],
  ['*/deepseek-(v[4-9]|reasoner)', 'reasoningContent', 'with-calls', DEEPSEEK_THINKING, '2026-11'],
  ['*/deepseek-v[4-9]', 'reasoningContent', 'all', 'https://github.com/earendil-works/pi/pull/3640', '2026-04'],
  ['*/kimi|moonshot', 'reasoningContent', 'with-calls', KIMI_THINKING, '2026-11'],
  [
    '*/gemini-([3-9]|(pro|flash|flash-lite)-latest)',
    'foreignSignature',
    'skip_thought_signature_validator',
    GEMINI_SIGNATURES,
    '2026-11',
  ],
  ['anthropic/deepseek|kimi|moonshot|mimo', 'unsignedThinking', 'required', UNSIGNED, '2026-04'],
];
