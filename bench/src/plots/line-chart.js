// A chart of lines on two logarithmic axes, as SVG.
const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 150;
const TOP = 50;
const BOTTOM = 56;
const COLORS = ['#6b7280', '#2563eb', '#d97706', '#9333ea', '#059669', '#dc2626'];

export function lineChart({ title, x, y, lines }) {
  const all = lines.flatMap(({ points }) => points);
  const scaleX = scale(
    all.map(([value]) => value),
    LEFT,
    WIDTH - RIGHT,
    false,
  );
  const scaleY = scale(
    all.map(([, value]) => value),
    HEIGHT - BOTTOM,
    TOP,
    true,
  );
  const body = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 26, title, 'font-size="15" font-weight="600"'),
    ...scaleY.ticks.flatMap((value) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${scaleY.at(value)}" y2="${scaleY.at(value)}" stroke="#e5e7eb"/>`,
      text(LEFT - 8, scaleY.at(value) + 4, number(value), 'text-anchor="end"'),
    ]),
    ...lines[0].points.map(([value]) =>
      text(scaleX.at(value), HEIGHT - BOTTOM + 20, number(value), 'text-anchor="middle"'),
    ),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x, 'text-anchor="middle"'),
    text(LEFT, TOP - 8, y, ''),
    ...lines.flatMap(({ points }, index) => drawn(points, COLORS[index % COLORS.length], scaleX, scaleY)),
    ...legend(lines, scaleY),
  ];
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#111827" role="img" aria-label="${escape(title)}">`;
  return `${head}\n${body.join('\n')}\n</svg>\n`;
}

function drawn(points, color, scaleX, scaleY) {
  const at = points.map(([px, py]) => `${scaleX.at(px)},${scaleY.at(py)}`);
  return [
    `<polyline points="${at.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...at.map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${color}"/>`),
  ];
}

/** Names beside the ends of the lines, moved apart where they would overlap. */
function legend(lines, scaleY) {
  const ends = lines
    .map(({ name, points, exponent }, index) => ({ name, exponent, index, y: scaleY.at(points.at(-1)[1]) }))
    .toSorted((a, b) => a.y - b.y);
  let last = Number.NEGATIVE_INFINITY;
  return ends.map(({ name, exponent, index, y }) => {
    last = Math.max(y, last + 17);
    return text(
      WIDTH - RIGHT + 10,
      last + 4,
      `${name} (x^${exponent.toFixed(2)})`,
      `fill="${COLORS[index % COLORS.length]}"`,
    );
  });
}

function scale(values, from, to, isTicked) {
  const low = Math.log10(Math.min(...values));
  const high = Math.log10(Math.max(...values));
  const at = (value) => Math.round((from + ((Math.log10(value) - low) / (high - low || 1)) * (to - from)) * 10) / 10;
  const ticks = [];
  if (isTicked) {
    for (let power = Math.floor(low); power <= high; power += 1)
      for (const step of [1, 3]) {
        const value = step * 10 ** power;
        if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push(value);
      }
  }
  return { at, ticks };
}

const text = (x, y, value, attributes) => `<text x="${x}" y="${y}" ${attributes}>${escape(value)}</text>`;
const number = (value) =>
  value >= 1 ? value.toLocaleString('en-US', { maximumFractionDigits: 1 }) : String(Number(value.toPrecision(2)));
const escape = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
