/** The script of the page. It adds comfort only: it remembers the theme, opens what a link leads to, and opens or closes all details. */
export const PAGE_SCRIPT = `(() => {
  const KEY = 'prompt-agent-theme';
  const store = (work) => { try { return work(localStorage); } catch { return null; } };
  const saved = store((storage) => storage.getItem(KEY));
  for (const input of document.querySelectorAll('input[name=theme]')) {
    if (input.value === saved) input.checked = true;
    input.addEventListener('change', () => store((storage) => storage.setItem(KEY, input.value)));
  }
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target === null) return;
    for (let node = target; node !== null; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
    target.scrollIntoView({ block: 'start' });
    const focus = target.tagName === 'DETAILS' ? target.querySelector('summary') : null;
    if (focus !== null) focus.focus({ preventScroll: true });
  };
  addEventListener('hashchange', reveal);
  reveal();
  const all = document.getElementById('all');
  if (document.querySelector('main details') !== null) all.hidden = false;
  all.addEventListener('click', () => {
    const open = all.getAttribute('aria-pressed') !== 'true';
    all.setAttribute('aria-pressed', String(open));
    for (const details of document.querySelectorAll('main details')) details.open = open;
  });
})();`;
