import { wrapProvider } from '@kernel/protocol';
import { describe, expect, it } from 'vitest';
import { createProvider, withFallback, withRetry } from '../../src/index.ts';

const claude = createProvider({ name: 'anthropic', token: 'k' });
const grok = createProvider({ name: 'xai', token: 'k' });

describe('the media limits of a provider', () => {
  it('are known before the first request, by model', () => {
    expect(claude.mediaLimits?.('claude-sonnet-4-5')).toMatchObject({ imageSide: 8000, images: 100 });
    expect(claude.mediaLimits?.('claude-opus-4-8')).toMatchObject({ images: 600 });
    expect(createProvider({ name: 'ollama' }).mediaLimits?.('qwen3')).toEqual({});
  });

  it('pass through wrappers', () => {
    const wrapped = wrapProvider(withRetry(claude), { name: 'mine' });
    expect(wrapped.mediaLimits?.('claude-sonnet-4-5')).toMatchObject({ imageSide: 8000 });
  });

  it('are the strictest of all candidates that may answer', () => {
    const limits = withFallback([claude, { provider: grok, model: 'grok-4' }]).mediaLimits?.('claude-opus-4-8');
    expect(limits).toMatchObject({
      imageTypes: ['image/png', 'image/jpeg'],
      images: 600,
      imageBytes: 7.5 * 1024 * 1024,
    });
  });
});
