// Run by `next build`, because it is static; loaded then, because the program begins when it is imported.
export const dynamic = 'force-static';

export async function GET() {
  const { result } = await import('../../hello.mjs');
  return new Response(result.answer);
}
