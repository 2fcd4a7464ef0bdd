'use strict';
(() => {
const { data: D, tables: TABLES } = JSON.parse(document.getElementById('data').textContent);
const element = id => document.getElementById(id);
const T = D.time, N = T.count;
const [FILES, OPS, RANKS] = D.rows;
const COLOURS = { read: '#0072B2', write: '#D55E00', sync: '#CC79A7', metadata: '#009E73', async: '#E69F00' };
const CLASSES = Object.keys(COLOURS);

// Quantities, as the command writes them (crates/quantity), whose units D.units are.
const three = v => v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0);
const scaled = (v, units, step) => { let u = 0; while (v >= 999.5 && u < units.length - 1) { v /= step; u++; } return (u || v % 1 ? three(v) : String(v)) + ' ' + units[u]; };
const bytes = v => scaled(v, D.units.bytes, 1024);
const time = ns => ns < 600e9 ? scaled(ns, D.units.times, 1000) : Math.floor(ns / 3600e9) + ':' + String(Math.floor(ns / 60e9) % 60).padStart(2, '0') + ':' + String(Math.floor(ns / 1e9) % 60).padStart(2, '0');
const count = v => v.toLocaleString('en');
const many = (v, what) => count(v) + ' ' + what + (v === 1 ? '' : 's');
// What Plotly would take for markup.
const plain = s => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const cut = (s, [first, last]) => s.length > first + last + 1 ? s.slice(0, first) + '…' + s.slice(-last) : s;
const short = s => cut(s, [8, 29]);
const FONT = '"Open Sans", verdana, arial, sans-serif', ruler = document.createElement('canvas').getContext('2d');
// As much of a name as has room: its first letters and as many of its last ones as fit.
const fitted = (s, first, size, room) => {
  ruler.font = `${size}px ${FONT}`;
  let some = s;
  for (let last = Math.min(s.length, room); last > 0 && ruler.measureText(some).width > room; last--) some = cut(s, [first, last]);
  return some;
};

// Time is shown in one unit throughout.
const end = T.from + T.width * N;
const exponent = end < 2e3 ? 0 : end < 2e6 ? 1 : end < 2e9 ? 2 : 3;
const [UNIT, NAME] = [1000 ** exponent, D.units.times[exponent]];
const edge = bin => (T.from + T.width * bin) / UNIT;
const edges = Array.from({ length: N + 1 }, (_, bin) => edge(bin));
const middles = Array.from({ length: N }, (_, bin) => edge(bin + 0.5));
const rankStart = row => D.ranks.from + D.ranks.width * row;
const rankLabel = at => D.processes[at] ?? String(at);
const rankName = row => { const from = rankStart(row), to = Math.min(from + D.ranks.width - 1, D.last_rank); return from === to ? rankLabel(from) : rankLabel(from) + '–' + rankLabel(to); };
const [TASK, TASKS] = D.task;

const ALL = element('shown').textContent;
let shown = [0, N], shownRanks = [0, D.ranks.count], quiet = false;
const whole = () => shown[0] === 0 && shown[1] === N && shownRanks[0] === 0 && shownRanks[1] === D.ranks.count;
const dark = () => document.documentElement.dataset.theme === 'dark';

// Sums of rows.
const sumRows = (cells, from, to) => { const sums = new Array(N).fill(0); for (let row = from; row < to; row++) for (let bin = 0; bin < N; bin++) sums[bin] += cells[row * N + bin]; return sums; };
const sumBins = (cells, row) => { let sum = 0; for (let bin = shown[0]; bin < shown[1]; bin++) sum += cells[row * N + bin]; return sum; };
const matrix = (cells, columns) => { const rows = []; for (let at = 0; at < cells.length; at += columns) rows.push(cells.slice(at, at + columns).map(v => v || null)); return rows; };
const added = (one, other) => one.map((v, at) => v + other[at]);

// Plots.
const look = () => { const [ink, line] = dark() ? ['#e9e9e9', '#363b42'] : ['#1b1b1b', '#e4e4e4']; return { ink, line }; };
const axis = more => { const { ink, line } = look(); return { gridcolor: line, zeroline: false, linecolor: ink, tickfont: { color: ink }, automargin: true, ...more, title: { text: more.title || '', font: { color: ink, size: 12 } } }; };
const layout = (title, x, y, more = {}) => ({ title: { text: title, x: 0.01, font: { size: 14, color: look().ink } }, xaxis: axis(x), yaxis: axis(y), margin: { l: 80, r: 20, t: 40, b: 42 }, paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', font: { family: FONT, color: look().ink }, legend: { orientation: 'h', x: 1, xanchor: 'right', y: 1.02, yanchor: 'bottom' }, hovermode: 'closest', ...more });
// In a print, whose width no event tells: A4 less its margins; heights as in page.css.
const PAPER = 700;
const onPaper = target => ({ autosize: false, width: PAPER, height: parseInt(target.style.height) || (target.classList.contains('tall') ? 250 : 190) });
const CONFIG = { responsive: true, displayModeBar: false };
// Plots over time have the same margins, so that a moment is at the same place in each.
let paper = false;
const narrow = () => !paper && innerWidth < 700;
const leftMargin = () => narrow() ? 110 : paper ? 175 : 235;
const atTop = title => ({ text: title, x: 0.01, y: 0.97, yanchor: 'top', font: { size: 14, color: look().ink } });
const overTime = (title, y, more = {}) => layout(title, timeAxis(), { automargin: false, ...y }, { ...(narrow() ? { title: atTop(title), legend: { orientation: 'h', xref: 'container', x: 0.99, xanchor: 'right', y: 1.02, yanchor: 'bottom' } } : {}), margin: { l: leftMargin(), r: narrow() || paper ? 92 : 110, t: narrow() ? 62 : 40, b: 42, autoexpand: false }, ...more });
const timeAxis = () => ({ title: `time since the job's start (${NAME})`, range: [edge(shown[0]), edge(shown[1])] });
// Round values up to the greatest: with `per`, what a value stands for in bytes or bytes a second, powers of two of these.
const ticks = (most, say, per) => {
  const third = Math.max(most, 1e-9) / 3, decade = 10 ** Math.floor(Math.log10(third));
  const step = per ? 2 ** Math.floor(Math.log2(third * per)) / per : decade * [5, 2, 1].find(times => decade * times <= third);
  const tickvals = [];
  for (let v = 0; v <= most * 1.05 && tickvals.length < 9; v += step) tickvals.push(v);
  return { tickvals, ticktext: tickvals.map(v => v ? say(v) : '0') };
};
// Colours are by the logarithm, over four decades: beside one burst the rest is seen as well. The lightest would not be seen on the
// paper, and is left out. Where a plot has no call it has no colour.
const heat = (cells, y, hover, most, say) => {
  const top = Math.log10(most || 1), low = Math.max(0, top - 4), marks = [0, 1, 2, 3].map(n => top - n).filter(v => v >= 0);
  // Of less than ten, the least as well: one.
  if (top > 0.3 && top < 1) marks.push(0);
  return { type: 'heatmap', x: edges, y, z: cells.map(row => row.map(v => v && Math.log10(v))), zmin: low - 0.25 * (top - low || 1), zmax: top || 0.25, colorscale: dark() ? 'Viridis' : 'YlGnBu', reversescale: !dark(), hoverongaps: false, hovertemplate: hover + '<extra></extra>', colorbar: { thickness: 10, tickfont: { color: look().ink }, tickvals: marks, ticktext: marks.map(v => say(10 ** v)) } };
};
const largest = cells => cells.reduce((most, v) => v > most ? v : most, 0);
// The greatest of what is shown: zooming rescales.
const largestShown = (cells, [first, last] = [0, cells.length / N]) => { let most = 0; for (let row = first; row < last; row++) for (let bin = shown[0]; bin < shown[1]; bin++) most = Math.max(most, cells[row * N + bin]); return most; };
const PLOTS = {};

PLOTS.bandwidth = () => {
  const rates = [RANKS.read, RANKS.written].map(cells => sumRows(cells, ...shownRanks).map(v => v / T.width * 1e9));
  const traces = rates.map((y, way) => ({ type: 'scatter', mode: 'lines', line: { shape: 'hvh', width: 1.3, color: Object.values(COLOURS)[way] }, fill: 'tozeroy', name: CLASSES[way], x: middles, y, customdata: y.map(bytes), hovertemplate: `%{x:.4~g} ${NAME}: %{customdata}/s<extra>${CLASSES[way]}</extra>` }));
  const most = Math.max(...rates.map(rate => largestShown(rate)));
  return [traces.filter((_, way) => largest(rates[way]) > 0), overTime('Bandwidth', { range: [0, (most || 1) * 1.05], fixedrange: true, ...ticks(most, v => bytes(v) + '/s', 1) }, { hovermode: 'x' })];
};
PLOTS['under-way'] = () => {
  const traces = D.busy.map((cells, at) => ({ type: 'scatter', mode: 'lines', stackgroup: 'one', line: { shape: 'hvh', width: 0 }, fillcolor: COLOURS[CLASSES[at]], name: CLASSES[at], x: middles, y: cells.map(v => v / T.width), hovertemplate: `%{x:.4~g} ${NAME}: %{y:.3~g}<extra>${CLASSES[at]}</extra>` }));
  const most = largestShown(D.busy.reduce(added)) / T.width;
  const drawn = traces.filter((_, at) => largest(D.busy[at]) > 0);
  const made = overTime('Calls under way, averaged', { title: 'calls', range: [0, (most || 1) * 1.05], fixedrange: true }, { hovermode: 'x' });
  // A line each in the legend.
  if (narrow()) made.margin.t = Math.max(made.margin.t, 20 * drawn.length + 4);
  return [drawn, made];
};
PLOTS['by-rank'] = () => {
  const cells = added(RANKS.read, RANKS.written), some = largest(cells) > 0, used = some ? cells : RANKS.time;
  const per = 1e9 / T.width / D.ranks.width, rate = some ? v => bytes(v * per) + '/s' : time;
  const z = matrix(used, N), y = Array.from({ length: D.ranks.count + 1 }, (_, row) => rankStart(row) - 0.5);
  const trace = heat(z, y, TASK + ' %{customdata}', largestShown(used, shownRanks), rate);
  trace.customdata = z.map((row, at) => row.map((v, bin) => rankName(at) + ', ' + time(T.from + T.width * bin) + ': ' + rate(v || 0)));
  return [[trace], overTime(some ? 'Bandwidth of ' + TASKS + (D.ranks.width > 1 ? `, mean of ${D.ranks.width}` : '') : 'Time in calls by ' + TASK, { title: TASK, range: [rankStart(shownRanks[0]) - 0.5, rankStart(shownRanks[1]) - 0.5], ...(D.ranks.count <= 10 && D.ranks.width === 1 ? { dtick: 1 } : {}) })];
};
// Reading and writing have a scale each; a cell with both has the colour of the greater.
const WAYS = { read: ['#deebf7', '#08519c'], write: ['#fee6ce', '#a63603'] }, DARK_WAYS = { read: ['#16283a', '#9ecae1'], write: ['#38200f', '#fdae6b'] };
let picked = 0, pickedWay = 'both';
PLOTS['by-offset'] = () => {
  const O = D.offsets[picked], all = { read: O.read, write: O.written };
  if (!D.offsets.some(of => largest(of.read) || largest(of.written))) return null;
  const is = pickedWay === 'both' ? ['read', 'write'] : [pickedWay], most = Math.max(...is.map(way => largestShown(all[way])));
  const y = Array.from({ length: O.axis.count + 1 }, (_, row) => O.axis.width * row);
  const told = matrix(O.read, N).map((row, at) => row.map((_, bin) => `from ${bytes(O.axis.width * at)} at ${time(T.from + T.width * bin)}: ${bytes(O.read[at * N + bin])} read, ${bytes(O.written[at * N + bin])} written`));
  const traces = is.filter(way => is.length === 1 || largest(all[way])).map((way, at, drawn) => {
    const other = drawn.length > 1 ? all[way === 'read' ? 'write' : 'read'] : undefined;
    const cells = all[way].map((v, cell) => other && (v < other[cell] || (v === other[cell] && way === 'read')) ? 0 : v);
    const trace = heat(matrix(cells, N), y, '%{customdata}', most, bytes), [low, high] = (dark() ? DARK_WAYS : WAYS)[way];
    const bar = { ...trace.colorbar, ticklabelposition: 'outside bottom', title: { text: way === 'read' ? 'read' : 'written', font: { size: 12, color: look().ink } }, len: 1 / drawn.length, y: 1 - at / drawn.length, yanchor: 'top' };
    return { ...trace, customdata: told, colorscale: [[0, low], [1, high]], reversescale: false, colorbar: bar };
  });
  return [traces, overTime('Bytes moved by offset: ' + plain(cut(O.of, narrow() ? [0, 14] : [8, 29])), { title: 'offset', ...ticks(O.axis.width * O.axis.count, bytes, 1) })];
};
PLOTS['by-file'] = () => {
  if (!D.files.length) return null;
  // A line of text for each row, in the margin beside a tick.
  const size = paper ? 9 : 12, name = file => plain(fitted(file, narrow() ? 0 : 6, size, leftMargin() - 12));
  element('by-file').style.height = Math.max(240, (paper ? 12 : 17) * D.files.length + 100) + 'px';
  const z = matrix(FILES.time, N), trace = heat(z, D.files.map((_, at) => at), '%{customdata}', largestShown(FILES.time), time);
  trace.customdata = z.map((row, at) => row.map((v, bin) => `${plain(short(D.files[at]))}, ${time(T.from + T.width * bin)}: ${time(v || 0)}`));
  return [[trace], overTime('Time in calls on the files that took most', { title: '', autorange: 'reversed', tickfont: { color: look().ink, size }, tickvals: D.files.map((_, at) => at), ticktext: D.files.map(name), fixedrange: true })];
};
PLOTS['by-ost'] = () => {
  const { names, bytes: cells } = D.osts;
  if (!names.length || !largest(cells)) return null;
  const z = matrix(cells, N), trace = heat(z, names.map((_, at) => at), '%{customdata}', largestShown(cells), v => bytes(v / T.width * 1e9) + '/s');
  trace.customdata = z.map((row, at) => row.map((v, bin) => `OST ${names[at]}, ${time(T.from + T.width * bin)}: ${bytes(v || 0)}`));
  const every = Math.ceil(names.length / 20), some = names.map((_, at) => at).filter(at => at % every === 0);
  return [[trace], overTime('Bandwidth of OSTs, estimated by the files\' layouts', { title: 'OST', tickvals: some, ticktext: some.map(at => String(names[at])), fixedrange: true })];
};
const logBars = (title, all, say, label) => {
  const used = bin => all.some(cells => cells[bin]), bins = D.log.map((_, bin) => bin).filter(bin => bin < 256 && used(bin));
  if (!bins.length) return whole() ? null : [[], layout(title, { title: label, visible: false }, { title: 'calls', visible: false }, { annotations: [{ text: 'none begins in the time shown', showarrow: false, font: { color: look().ink } }] })];
  const [first, last] = [bins[0], bins[bins.length - 1] + 1];
  const traces = all.map((cells, at) => ({ type: 'scatter', mode: 'lines', line: { shape: 'hv', width: 1.3, color: COLOURS[CLASSES[at]] }, fill: 'tozeroy', name: CLASSES[at], x: D.log.slice(first, last + 1), y: [...cells.slice(first, last), 0], customdata: [...cells.slice(first, last), 0].map((calls, bin) => `from ${say(D.log[first + bin])}: ${many(calls, 'call')}`), hovertemplate: '%{customdata}<extra>' + CLASSES[at] + '</extra>' })).filter((_, at) => largest(all[at]) > 0);
  // The legend's lines, two words in each, below the title.
  const room = narrow() ? { title: atTop(title), margin: { l: 80, r: 20, t: 28 + 20 * Math.ceil(traces.length / 2), b: 42 } } : {};
  return [traces, layout(title, { title: label, ...logTicks(D.log[first] / 2, D.log[last] * 2, say) }, { title: 'calls', rangemode: 'tozero' }, { hovermode: 'x', ...room })];
};
// Of a few decades, two and five are marked as well; half a byte is no size.
const logTicks = (from, to, say) => { const base = say === bytes ? 2 : 10, tickvals = [], parts = base === 10 && to / from < 1e3 ? [1, 2, 5] : [1]; const step = Math.max(1, Math.ceil(Math.log(to / from) / Math.log(base) / 9)); for (let n = Math.max(Math.floor(Math.log(from) / Math.log(base)), base === 2 ? 0 : -Infinity); base ** n <= to; n += step) tickvals.push(...parts.map(part => part * base ** n).filter(v => v >= from && v <= to)); return { type: 'log', range: [Math.log10(from), Math.log10(to)], tickvals, ticktext: tickvals.map(say) }; };
// Cells and their calls in turn: of the time that is shown, a sum for each bin of sizes or latencies.
const LOGS = D.log.length - 1;
const histogram = pairs => { const sums = new Array(LOGS).fill(0); for (let at = 0; at < pairs.length; at += 2) { const bin = Math.floor(pairs[at] / LOGS); if (bin >= shown[0] && bin < shown[1]) sums[pairs[at] % LOGS] += pairs[at + 1]; } return sums; };
PLOTS.sizes = () => logBars('Transfers by size', D.sizes.map(histogram), bytes, 'size of a transfer');
PLOTS.latencies = () => logBars('Calls by latency', D.latencies.map(histogram), time, 'time of a call');
PLOTS.both = () => {
  if (!D.both.length) return null;
  const range = at => { const bins = D.both.map(cell => cell[at]); return [bins.reduce((a, b) => Math.min(a, b)), bins.reduce((a, b) => Math.max(a, b)) + 1]; };
  const [c0, c1] = range(0), [r0, r1] = range(1), z = Array.from({ length: r1 - r0 }, () => new Array(c1 - c0).fill(null));
  for (const [column, row, calls] of D.both) z[row - r0][column - c0] = calls;
  const most = D.both.reduce((m, cell) => Math.max(m, cell[2]), 0);
  const cells = { ...heat(z, D.log.slice(r0, r1 + 1), '%{customdata}', most, v => count(Math.round(v))), customdata: z.map(row => row.map(calls => many(calls || 0, 'transfer'))), x: D.log.slice(c0, c1 + 1) };
  const slow = D.stragglers.filter(s => s.start + s.elapse >= T.from + T.width * shown[0] && s.start < T.from + T.width * shown[1]);
  const far = { type: 'scatter', mode: 'markers', name: 'stragglers', marker: { color: '#D55E00', size: 9, line: { color: look().ink, width: 1 } }, x: slow.map(s => s.bytes), y: slow.map(s => s.elapse), customdata: slow.map(s => `${time(s.elapse)}: ${s.of}, ${bytes(s.bytes)}, at ${time(s.start)}, ${plain(short(s.file))}`), hovertemplate: '%{customdata}<extra></extra>' };
  const top = D.stragglers.reduce((m, s) => Math.max(m, s.elapse), D.log[r1]);
  return [[cells, far], layout('Latency by size, and stragglers', { title: 'size of a transfer', ...logTicks(D.log[c0] / 2, D.log[c1] * 2, bytes) }, { title: 'time of a call', ...logTicks(D.log[r0] / 2, top * 2, time) })];
};
// Those in which time can be selected, and those that follow.
const OVER_TIME = ['bandwidth', 'under-way', 'by-rank', 'by-offset', 'by-file', 'by-ost'];

function draw(id) {
  const plot = PLOTS[id](), target = element(id);
  target.hidden = !plot;
  return plot && Plotly.react(target, plot[0], paper ? { ...plot[1], ...onPaper(target) } : plot[1], CONFIG);
}
function drawAll() { return Promise.all(Object.keys(PLOTS).map(draw)); }

// Zooming one plot zooms all, and the tables.
const binAt = value => Math.max(0, Math.min(N, Math.round((value * UNIT - T.from) / T.width)));
function zoom(from, to) { shown = [Math.min(from, N - 1), Math.max(to, from + 1)]; follow(); }
function follow() {
  quiet = true;
  element('reset').disabled = whole();
  const ranks = shownRanks[0] > 0 || shownRanks[1] < D.ranks.count ? `, ${TASKS} ${rankName(shownRanks[0])} to ${rankName(shownRanks[1] - 1)}` : '';
  element('shown').textContent = whole() ? ALL : `${time(T.from + T.width * shown[0])} to ${time(T.from + T.width * shown[1])}${ranks}`;
  fillTables();
  return drawAll().then(() => { quiet = false; });
}
function listen(id) {
  const target = element(id);
  if (!target.on) return;
  target.on('plotly_relayout', change => {
    if (quiet) return;
    if (change['xaxis.autorange'] || change['yaxis.autorange']) { shown = [0, N]; shownRanks = [0, D.ranks.count]; return follow(); }
    const rows = [change['yaxis.range[0]'], change['yaxis.range[1]']];
    if (id === 'by-rank' && rows[0] !== undefined) {
      const at = value => Math.max(0, Math.min(D.ranks.count, Math.round((value + 0.5 - D.ranks.from) / D.ranks.width)));
      shownRanks = [Math.min(at(rows[0]), D.ranks.count - 1), Math.max(at(rows[1]), at(rows[0]) + 1)];
    }
    const range = [change['xaxis.range[0]'], change['xaxis.range[1]']];
    if (range[0] !== undefined) return zoom(binAt(range[0]), binAt(range[1]));
    if (rows[0] !== undefined && id === 'by-rank') follow();
  });
}

// Tables.
const COLUMNS = [['calls', 'calls', count], ['read', 'read', bytes], ['written', 'written', bytes], ['time', 'time', time], ['p50', 'p50', time], ['p99', 'p99', time], ['max', 'max', time], ['ranks', TASKS, count], ['failed', 'failed', count]];
const TITLES = { file: 'Files', rank: TASKS[0].toUpperCase() + TASKS.slice(1), op: 'Functions', dir: 'Directories' };
const FOLLOWED = { file: [FILES, D.files], op: [OPS, D.ops], rank: [RANKS, Array.from({ length: D.ranks.count }, (_, row) => rankName(row))] };
const ofAll = table => table.rows.map(row => ({ name: row.program ? `${row.name} ${row.program}` : row.name, calls: row.calls, read: row.bytes_read, written: row.bytes_written, time: row.inclusive ?? row.time, p50: row.latency && row.latency.p50, p99: row.latency && row.latency.p99, max: row.latency && row.latency.max, ranks: row.tasks, failed: row.failed }));
function ofWindow(by) {
  const [cells, names] = FOLLOWED[by], inside = row => by !== 'rank' || (row >= shownRanks[0] && row < shownRanks[1]);
  const rows = names.map((name, row) => ({ name, row, calls: sumBins(cells.calls, row), read: sumBins(cells.read, row), written: sumBins(cells.written, row), time: sumBins(cells.time, row) }));
  return rows.filter(row => inside(row.row) && (row.calls || row.time || row.read || row.written));
}
// Installed software is listed behind the files that a job works on.
const BEHIND = new Set(TABLES.flatMap(table => table.rows.filter(row => row.installed).map(row => row.name)));
const VIEWS = TABLES.map(table => ({ table, sort: 'time', down: true, filter: '', marked: '' }));
const isMarked = (view, name) => view.marked && (name === view.marked || name.startsWith(view.marked + ' '));
function node(name, text, ...children) { const made = document.createElement(name); if (text !== undefined) made.textContent = text; made.append(...children); return made; }
function makeTable(view) {
  const box = node('div'); box.className = 'table'; box.id = 'table-' + view.table.by;
  const input = node('input'); input.type = 'search'; input.placeholder = 'filter'; input.setAttribute('aria-label', 'filter ' + TITLES[view.table.by]);
  input.oninput = () => { view.filter = input.value.toLowerCase(); fill(view); };
  view.note = node('small'); view.body = node('table');
  const scroll = node('div', undefined, view.body); scroll.className = 'scroll';
  view.input = input;
  box.append(node('h3', TITLES[view.table.by]), input, ' ', view.note, scroll);
  element('tables').append(box);
}
function fill(view) {
  const by = view.table.by, all = whole(), rows = all ? ofAll(view.table) : FOLLOWED[by] ? ofWindow(by) : [];
  const columns = COLUMNS.filter(([key]) => rows.some(row => row[key] !== undefined && row[key] !== null));
  const wanted = rows.filter(row => row.name.toLowerCase().includes(view.filter));
  const value = row => view.sort === 'name' ? row.name : row[view.sort] ?? -1;
  const compare = (a, b) => typeof a === 'string' ? a.localeCompare(b, 'en', { numeric: true }) : a - b;
  wanted.sort((a, b) => BEHIND.has(a.name) - BEHIND.has(b.name) || compare(value(a), value(b)) * (view.down ? -1 : 1));
  const heads = [['name', TITLES[by].toLowerCase()], ...columns].map(([key, title]) => {
    const button = node('button', key === 'time' && by === 'op' ? 'inclusive' : title); button.type = 'button';
    button.onclick = () => { view.down = view.sort === key ? !view.down : key !== 'name'; view.sort = key; fill(view); };
    const head = node('th', undefined, button); head.scope = 'col';
    if (view.sort === key) head.setAttribute('aria-sort', view.down ? 'descending' : 'ascending');
    return head;
  });
  const line = row => { const made = node('tr', undefined, node('td', row.name), ...columns.map(([key, , say]) => node('td', row[key] === undefined || row[key] === null ? '' : say(row[key])))); made.classList.toggle('marked', isMarked(view, row.name)); return made; };
  const lines = wanted.map(line);
  view.body.replaceChildren(node('thead', undefined, node('tr', undefined, ...heads)), node('tbody', undefined, ...lines));
  const listed = all ? view.table.count > rows.length ? `${count(rows.length)} of ${count(view.table.count)}, those that took most time` : '' : FOLLOWED[by] ? `in the time shown${by === 'rank' ? '' : `, of the ${FOLLOWED[by][1].length} that took most`}` : 'not told by time';
  view.note.textContent = listed;
}
function fillTables() { VIEWS.forEach(fill); }

// What a finding is about: its time, its file in the plot of offsets, and its rows; of a name that no row has, rows that have it within.
function show({ table, row, from, to }) {
  // What an earlier one zoomed to would hide this one's rows.
  shown = from === undefined ? [0, N] : [binAt(from / UNIT), Math.max(binAt(to / UNIT), binAt(from / UNIT) + 1)];
  shownRanks = [0, D.ranks.count];
  const at = table === 'file' ? D.offsets.findIndex(({ of }) => of === row) : -1;
  if (at >= 0) { picked = at; picker.value = at; }
  for (const view of VIEWS) {
    const own = view.table.by === table ? row : '', has = view.table.rows.some(({ name }) => name === own);
    view.marked = has ? own : '';
    view.input.value = has ? '' : own;
    view.filter = view.input.value.toLowerCase();
  }
  return follow().then(() => document.querySelector('#table-' + table + ' .marked')?.scrollIntoView({ block: 'nearest' }));
}

// Dark, light, paper.
function theme(name) { document.documentElement.dataset.theme = name; }
const prefers = matchMedia('(prefers-color-scheme: dark)');
theme(prefers.matches ? 'dark' : 'light');
prefers.addEventListener('change', () => { theme(prefers.matches ? 'dark' : 'light'); drawAll(); });
element('theme').onclick = () => { theme(dark() ? 'light' : 'dark'); drawAll(); };
let before;
addEventListener('beforeprint', () => { before = document.documentElement.dataset.theme; paper = true; theme('light'); drawAll(); });
addEventListener('afterprint', () => { paper = false; theme(before); drawAll(); });

const picker = element('offsets-of');
picker.replaceChildren(...D.offsets.map(({ of }, at) => { const option = node('option', of); option.value = at; return option; }));
picker.onchange = () => { picked = Number(picker.value); draw('by-offset'); };
element('offsets-way').onchange = event => { pickedWay = event.target.value; draw('by-offset'); };
element('reset').onclick = () => { shown = [0, N]; shownRanks = [0, D.ranks.count]; follow(); };
// Plots are drawn before the page goes to one of them.
const goTo = link => { const target = element(link.hash.slice(1)); (target.hidden ? element('over-time') : target).scrollIntoView(); history.replaceState(null, '', link.hash); };
for (const links of document.querySelectorAll('.shows')) for (const link of links.querySelectorAll('a')) link.onclick = event => { event.preventDefault(); show(links.dataset).then(() => goTo(link)); };
VIEWS.forEach(makeTable);
fillTables();
drawAll().then(() => { OVER_TIME.forEach(listen); document.documentElement.dataset.ready = 'yes'; });
})();
