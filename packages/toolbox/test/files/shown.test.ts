import type { ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { applyPatchTool, editFileTool, readFileTool, writeFileTool } from '../../src/files/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';

const context = { signal: new AbortController().signal, callId: '1', toolName: 'x' };

test('what a user is shown of a change hides nothing, and is one change', async () => {
  verifies('toolbox.files.edit');
  const path = 'a\u202Eb\n+++ b';
  const workspace = memoryWorkspace({ [path]: 'x\n' });
  const patch = '*** Begin Patch\n*** Add File: c\n+\u001B[2J\u202E\n*** End Patch';
  const results = [
    await editFileTool(workspace).handler(
      { path, edits: [{ old_text: 'x', new_text: '\u001B[2J\u{E0041}y' }] } as never,
      context,
    ),
    await writeFileTool(workspace).handler({ path, content: '\u001B[2Jz' } as never, context),
    await applyPatchTool(workspace).handler({ patch } as never, context),
  ].map((result) => (result as ToolResult).forUser ?? '');
  for (const shown of results) {
    expect(shown).toContain(String.raw`\x1b[2J`);
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]|\n\+\+\+ b$/u);
  }
  await readFileTool(workspace).handler({ path } as never, context);
  await workspace.write(path, 'x\nz');
  const edits = [{ old_text: 'x', new_text: 'y' }];
  expect(JSON.stringify(await editFileTool(workspace).handler({ path, edits } as never, context))).toContain(
    String.raw`\\x0a+++ b\" had changed`,
  );
});
