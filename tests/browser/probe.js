// Does with a report what a reader does, and writes down what it showed.
(async () => {
  const wait = ms => new Promise(done => setTimeout(done, ms));
  const rows = () => Object.fromEntries([...document.querySelectorAll('.table')].map(table => [table.id, table.querySelectorAll('tbody tr').length]));
  const ranges = () => ['bandwidth', 'under-way', 'by-rank', 'by-offset', 'by-file'].map(id => document.getElementById(id)).filter(plot => plot._fullLayout).map(plot => plot._fullLayout.xaxis.range);
  const names = by => [...document.querySelectorAll(`#table-${by} tbody tr td:first-child`)].map(cell => cell.textContent);
  // What plots have in all, and the highest that they show.
  const sum = id => document.getElementById(id).data.reduce((all, trace) => trace.y.reduce((a, b) => a + b, all), 0);
  const highest = id => document.getElementById(id)._fullLayout.yaxis.range[1];
  const scale = id => document.getElementById(id).data.map(trace => [trace.zmin, trace.zmax]);
  const values = () => ({ sizes: sum('sizes'), latencies: sum('latencies'), height: highest('under-way'), files: scale('by-file') });
  const captions = () => [...document.querySelectorAll('.js-plotly-plot')].filter(plot => !(plot.nextElementSibling?.className === 'how' && plot.nextElementSibling.offsetHeight > 10)).map(plot => plot.id);
  const background = () => getComputedStyle(document.body).backgroundColor;
  // Plots whose title is cut off, or lies under the legend.
  const rect = (plot, what) => plot.querySelector(what)?.getBoundingClientRect();
  const meet = (a, b) => a && b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const isCrowded = plot => { const title = rect(plot, '.gtitle'); return title && (title.right > plot.getBoundingClientRect().right || meet(title, rect(plot, '.legend'))); };
  const crowded = () => [...document.querySelectorAll('.js-plotly-plot')].filter(isCrowded).map(plot => plot.id);
  // Labels of which something lies outside their plot.
  const isOutside = (label, plot) => label.getBoundingClientRect().left < plot.getBoundingClientRect().left;
  const outside = () => [...document.querySelectorAll('.js-plotly-plot')].flatMap(plot => [...plot.querySelectorAll('.ytick text')].filter(label => isOutside(label, plot)).map(label => label.textContent));
  while (document.documentElement.dataset.ready !== 'yes') await wait(20);
  const said = { plots: [...document.querySelectorAll('.js-plotly-plot')].map(plot => plot.id), all: rows(), whole: ranges(), names: names('file'), values: [values()], bare: captions(), crowded: crowded(), outside: outside(), marks: document.getElementById('sizes')._fullLayout.xaxis.ticktext };

  const plot = document.getElementById('bandwidth'), points = plot.data[0].y;
  Plotly.Fx.hover(plot, [{ curveNumber: 0, pointNumber: points.indexOf(Math.max(...points)) }]);
  await wait(300);
  said.hover = [...plot.querySelectorAll('.hoverlayer text')].map(text => text.textContent);

  const [from, to] = ranges()[0], third = (to - from) / 3;
  await Plotly.relayout(plot, { 'xaxis.range[0]': from, 'xaxis.range[1]': from + third });
  await wait(1500);
  Object.assign(said, { zoomed: ranges(), window: rows(), shown: document.getElementById('shown').textContent });

  said.values.push(values());
  await Plotly.relayout(plot, { 'xaxis.range[0]': to - third, 'xaxis.range[1]': to });
  await wait(1500);
  said.last = values();

  document.getElementById('reset').click();
  await wait(1500);
  said.back = rows();
  said.values.push(values());

  const pick = async (id, value) => { const select = document.getElementById(id); select.value = value; select.dispatchEvent(new Event('change')); await wait(500); const plot = document.getElementById('by-offset'); return [plot._fullLayout.title.text, plot.data.length]; };
  said.picks = document.getElementById('offsets-of').options.length;
  said.offsets = [await pick('offsets-of', '0'), await pick('offsets-of', '1'), await pick('offsets-way', 'read'), await pick('offsets-way', 'both')];

  // What each finding shows: whether there is a plot and a table, and which rows are marked, or pass the filter.
  said.links = [];
  for (const links of document.querySelectorAll('.shows')) {
    const [plot, table] = [...links.querySelectorAll('a')].map(link => document.getElementById(link.hash.slice(1)));
    links.querySelector('a').click();
    await wait(700);
    const marked = [...table.querySelectorAll('.marked td:first-child')].map(cell => cell.textContent);
    said.links.push({ plot: !!plot, row: links.dataset.row, marked, rows: table.querySelectorAll('tbody tr').length, at: location.hash });
  }
  document.getElementById('reset').click();
  await wait(1500);

  const head = [...document.querySelectorAll('#table-op th button')];
  head[0].click();
  said.sorted = names('op');
  const filter = document.querySelector('#table-op input');
  filter.value = said.sorted[0];
  filter.oninput();
  said.filtered = names('op');

  said.themes = [background()];
  document.getElementById('theme').click();
  await wait(1500);
  said.themes.push(background());
  const pre = document.createElement('pre');
  pre.id = 'said';
  pre.textContent = JSON.stringify(said);
  document.body.append(pre);
})();
