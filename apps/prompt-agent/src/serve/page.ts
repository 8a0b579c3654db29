import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';

/** The page of `serve http`: one file, which loads nothing else. What a model or a tool wrote is shown as text, never as HTML. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>prompt-agent</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>prompt-agent</h1><p id="status" role="status">ready</p></header>
<main id="log" aria-live="polite" aria-label="Conversation"></main>
<form id="form">
<label for="text">Message</label>
<textarea id="text" rows="2" autofocus placeholder="Ask something. Enter sends, Shift+Enter begins a line."></textarea>
<button id="send">Send</button>
<button id="stop" type="button" hidden>Stop</button>
</form>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
