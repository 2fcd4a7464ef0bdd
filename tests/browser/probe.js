// Does with a report what a reader does, and writes down what it showed.
(async () => {
  const wait = ms => new Promise(done => setTimeout(done, ms));
  const rows = () => Object.fromEntries([...document.querySelectorAll('.table')].map(table => [table.id, table.querySelectorAll('tbody tr').length]));
  const ranges = () => ['bandwidth', 'under-way', 'by-rank', 'by-offset', 'by-file'].map(id => document.getElementById(id)).filter(plot => plot._fullLayout).map(plot => plot._fullLayout.xaxis.range);
  const names = by => [...document.querySelectorAll(`#table-${by} tbody tr td:first-child`)].map(cell => cell.textContent);
  const background = () => getComputedStyle(document.body).backgroundColor;
  while (document.documentElement.dataset.ready !== 'yes') await wait(20);
  const said = { plots: [...document.querySelectorAll('.js-plotly-plot')].map(plot => plot.id), all: rows(), whole: ranges(), names: names('file') };

  const plot = document.getElementById('bandwidth'), points = plot.data[0].y;
  Plotly.Fx.hover(plot, [{ curveNumber: 0, pointNumber: points.indexOf(Math.max(...points)) }]);
  await wait(300);
  said.hover = [...plot.querySelectorAll('.hoverlayer text')].map(text => text.textContent);

  const [from, to] = ranges()[0], third = (to - from) / 3;
  await Plotly.relayout(plot, { 'xaxis.range[0]': from, 'xaxis.range[1]': from + third });
  await wait(1500);
  Object.assign(said, { zoomed: ranges(), window: rows(), shown: document.getElementById('shown').textContent });

  document.getElementById('reset').click();
  await wait(1500);
  said.back = rows();

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
