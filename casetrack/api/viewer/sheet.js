'use strict';
(() => {
  const root = document.documentElement;
  root.classList.add('js');
  const all = (selector, within) => [...(within || document).querySelectorAll(selector)];
  const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const drawings = all('svg.graph');
  const entries = all('.entry');
  let chosen = null;

  // --- what belongs to a name or a link ---
  const related = (svg, id) => {
    const marks = new Set();
    all('a', svg).forEach(mark => {
      const ends = (mark.dataset.ends || '').split(' ').map(n => 'name-' + n);
      if (mark.getAttribute('href') === '#' + id) {
        marks.add(mark);
        ends.forEach(end => marks.add(svg.querySelector('a[href="#' + end + '"]')));
      } else if (mark.dataset.ends && ends.includes(id)) {
        marks.add(mark);
        ends.forEach(end => marks.add(svg.querySelector('a[href="#' + end + '"]')));
      }
    });
    return marks;
  };
  const light = id => drawings.forEach(svg => {
    const marks = id ? related(svg, id) : new Set();
    svg.classList.toggle('lit', marks.size > 0);
    all('a', svg).forEach(mark => {
      mark.classList.toggle('hot', marks.has(mark));
      mark.classList.toggle('on', mark.getAttribute('href') === '#' + id);
    });
  });
  const idOf = event => {
    const link = event.target.closest && event.target.closest('svg a, .links a, .names a');
    return link ? link.getAttribute('href').slice(1) : null;
  };
  if (drawings.length) {
    ['pointerover', 'focusin'].forEach(kind => document.addEventListener(kind, event => {
      light(idOf(event) || chosen);
    }));
  }

  // --- what is shown beside the drawing ---
  const choose = moved => {
    const target = document.getElementById(location.hash.slice(1) || 'names');
    const entry = target && target.closest('.entry, .event');
    chosen = entry ? entry.id : null;
    entries.forEach(one => one.classList.toggle('shown', one === entry));
    root.classList.toggle('chosen', entries.includes(entry));
    light(chosen);
    all('.marks a').forEach(mark => mark.classList.toggle('on', mark.getAttribute('href') === '#' + chosen));
    if (!entry) return;
    const proof = entry.querySelector('details');
    if (proof) proof.open = true;
    if (moved) {
      entry.focus({preventScroll: true});
      const top = entry.getBoundingClientRect().top;
      if (top < 0 || top > innerHeight * 0.6) entry.scrollIntoView({block: 'start'});
    }
  };
  addEventListener('hashchange', () => choose(true));
  addEventListener('keydown', event => {
    if (event.key === 'Escape' && chosen) {
      const back = document.querySelector('svg a.on, #find');
      location.hash = '#names';
      if (back) back.focus({preventScroll: true});
    }
  });

  // --- find ---
  const field = document.getElementById('find');
  const told = document.getElementById('found');
  const find = () => {
    const wanted = plain(field.value).split(/\s+/).filter(Boolean);
    const items = all('[data-find]');
    let count = 0;
    const hidden = new Set();
    items.forEach(item => {
      const text = plain(item.dataset.find);
      const fits = wanted.every(word => text.includes(word));
      item.hidden = !fits;
      if (fits) count += 1; else hidden.add(item.dataset.name);
    });
    all('.period').forEach(part => { part.hidden = !part.querySelector('[data-find]:not([hidden])'); });
    all('a[data-node]').forEach(mark => mark.classList.toggle('off', hidden.has(mark.dataset.node)));
    all('a[data-ends]').forEach(mark => {
      mark.classList.toggle('off', mark.dataset.ends.split(' ').every(end => hidden.has(end)));
    });
    told.textContent = wanted.length ? count + ' of ' + items.length : '';
    if (wanted.length && root.classList.contains('chosen')) location.hash = '#names';
  };
  if (field) field.addEventListener('input', find);

  // --- on paper everything is open ---
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    closed.forEach(one => { one.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach(one => { one.open = false; }));

  choose(Boolean(location.hash));
})();
