import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { apiSidebar, sidebar } from '../navigation.ts';
import { addRowAnchors, rowsAsSections } from '../row-anchors.ts';

const root = join(import.meta.dirname, '../../..');

export default defineConfig({
  title: 'kernel',
  description: 'A small, layered TypeScript kernel for LLM tool calling.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  // An empty icon, so that browsers do not request one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  cleanUrls: true,
  metaChunk: true,
  // A dead link fails the build.
  ignoreDeadLinks: false,
  markdown: { config: addRowAnchors },
  themeConfig: {
    nav: [
      { text: 'Documentation', link: '/documents' },
      { text: 'API', link: '/api/' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar: { '/api/': [...apiSidebar(root)], '/': [...sidebar(root)] } as never,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        // Decision records and requirements would match almost every query.
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env);
          if (/^(?:adr\/|requirements\.md)/.test(env.relativePath)) return '';
          if (env.relativePath === 'errors.md') return rowsAsSections(html);
          // Each export is one result, without separate ones for its parameters and return value.
          return env.relativePath.startsWith('api/') ? html.replaceAll(/<h[4-6][^>]*>.*?<\/h[4-6]>/g, '') : html;
        },
        miniSearch: {
          options: {
            // Words that say nothing about what is looked for. This runs in the browser, so it can use nothing from this file.
            processTerm: (term) =>
              /^(?:a|an|and|are|at|can|do|does|for|how|i|in|is|it|my|of|on|or|the|to|what|when|where|which|with)$/i.test(
                term,
              )
                ? null
                : term.toLowerCase(),
          },
          searchOptions: { boost: { title: 8, titles: 2, text: 1 }, prefix: true, fuzzy: 0.1 },
        },
      },
    },
  },
});
