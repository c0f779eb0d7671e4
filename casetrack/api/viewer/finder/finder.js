(() => {
  const SHOWN = 12, MORE = 3, WINDOW = 280, BEFORE = 60;
  const field = document.getElementById('q');
  const told = document.getElementById('told');
  const list = document.getElementById('found');
  const rest = document.getElementById('rest');
  const chips = document.getElementById('sources');

  const make = (tag, properties, ...inside) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inside.filter(part => part !== null));
    return made;
  };
  const number = new Intl.NumberFormat('en');
  const counted = (count, one) => `${number.format(count)} ${one}${count === 1 ? '' : 's'}`;

  // --- what the page holds ---
  const unpack = async text => {
    const signs = atob(text);
    const raw = new Uint8Array(signs.length);
    for (let i = 0; i < signs.length; i += 1) raw[i] = signs.charCodeAt(i);
    return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate')));
  };
  const held = name => document.getElementById(name).textContent;
  const open = async () => {
    const [facts, raw] = await Promise.all([
      unpack(held('facts')).then(part => part.json()),
      unpack(held('postings')).then(part => part.arrayBuffer()),
    ]);
    const count = raw.byteLength / 6;
    const starts = new Uint32Array(facts.terms.length + 1);
    facts.frequencies.forEach((frequency, i) => { starts[i + 1] = starts[i] + frequency; });
    const owner = new Uint32Array(facts.places.length);
    let row = 0;
    facts.documents.forEach((one, i) => {
      one.first = row;
      owner.fill(i, row, row += one.passages);
    });
    return {
      ...facts, starts, owner,
      distances: new Uint32Array(raw, 0, count), counts: new Uint16Array(raw, 4 * count, count),
      number: new Map(facts.terms.map((term, i) => [term, i])),
      words: wordsOf(facts),
      blocks: held('texts').split(' '), opened: new Map(),
    };
  };
  const textOf = async (all, row) => {
    const block = Math.floor(row / all.block);
    if (!all.opened.has(block)) all.opened.set(block, unpack(all.blocks[block]).then(part => part.json()));
    return (await all.opened.get(block))[row % all.block];
  };

  // --- ranking: BM25 over the passages of the chosen sources, the best passage for its document ---
  const postings = function* (all, term) {
    let row = 0;
    for (let i = all.starts[term]; i < all.starts[term + 1]; i += 1) {
      row += all.distances[i];
      yield [row, all.counts[i]];
    }
  };
  // A last word that nothing has may be one that is still being typed.
  const meant = (all, text) => {
    const asked = all.words.question(text);
    const last = asked.at(-1);
    if (!last || all.number.has(last) || !/[\p{L}\p{N}]$/u.test(text)) return asked;
    const typed = all.words.fold(text).match(/[\p{L}\p{N}]+$/u)[0];
    const near = all.terms.filter(term => term.startsWith(typed) || term.startsWith(last));
    const longest = near.length ? [] : all.terms.filter(term => term.length > 3 && typed.startsWith(term));
    const kept = near.length ? near.slice(0, 30) : longest.sort((a, b) => b.length - a.length).slice(0, 1);
    return kept.length ? [...asked.slice(0, -1), ...kept] : asked;
  };
  const scopeOf = (all, source) => {
    const fits = all.documents.map(one => source === null || one.source === source);
    let rows = 0, terms = 0;
    all.lengths.forEach((length, row) => { if (fits[all.owner[row]]) { rows += 1; terms += length; } });
    return {fits, rows, mean: terms / (rows || 1)};
  };
  const rank = (all, asked, scope) => {
    const times = new Map();
    asked.forEach(term => times.set(term, (times.get(term) || 0) + 1));
    const scores = new Float64Array(all.lengths.length);
    for (const [name, often] of [...times].sort()) {
      const term = all.number.get(name);
      if (term === undefined) continue;
      const live = [...postings(all, term)].filter(([row]) => scope.fits[all.owner[row]]);
      const rarity = Math.log(1 + (scope.rows - live.length + 0.5) / (live.length + 0.5));
      for (const [row, count] of live) {
        const length = K1 * (1 - B + B * all.lengths[row] / scope.mean);
        scores[row] += often * rarity * (K1 + 1) * count / (count + length);
      }
    }
    const best = new Map();
    scores.forEach((score, row) => {
      if (!score) return;
      const found = best.get(all.owner[row]) || [];
      found.push(row);
      best.set(all.owner[row], found);
    });
    return [...best].map(([document, rows]) => {
      rows.sort((a, b) => scores[b] - scores[a] || a - b);
      return {document, rows, score: scores[rows[0]]};
    }).sort((a, b) => b.score - a.score || a.document - b.document);
  };

  // --- what is shown of a passage ---
  const hits = (all, text, asked) => {
    const found = [];
    for (const [start, end, terms] of all.words.places(text)) {
      const hit = terms.find(term => asked.has(term));
      if (hit !== undefined) found.push([start, end, hit]);
    }
    return found;
  };
  // The window with the most different words, then the most words.
  const windowOf = (text, found) => {
    let best = [0, 0, 0];
    found.forEach(([start], i) => {
      const inside = found.slice(i).filter(([, end]) => end <= start + WINDOW - BEFORE);
      const score = [new Set(inside.map(hit => hit[2])).size, inside.length];
      if (score[0] > best[0] || score[0] === best[0] && score[1] > best[1]) best = [...score, start];
    });
    let from = Math.max(0, Math.min(best[2] - BEFORE, text.length - WINDOW));
    let to = Math.min(text.length, from + WINDOW);
    while (from > 0 && from < best[2] && /\S/.test(text[from - 1])) from += 1;
    while (to < text.length && to > from + WINDOW / 2 && /\S/.test(text[to])) to -= 1;
    return [from, to];
  };
  const marked = (text, found, from, to) => {
    const parts = [];
    let at = from;
    for (const [start, end] of found) {
      if (start < from || end > to) continue;
      if (start > at) parts.push(text.slice(at, start));
      if (end > at) parts.push(make('mark', {textContent: text.slice(Math.max(at, start), end)}));
      at = Math.max(at, end);
    }
    parts.push(text.slice(at, to));
    return parts;
  };
  // Lines have numbers where each of them is certain: some formats do not count empty ones.
  const lined = (all, row, text, found) => {
    const first = all.lines[2 * row], last = all.lines[2 * row + 1];
    const lines = text.replace(/\s+$/, '').split('\n');
    const filled = lines.filter(line => line.trim()).length;
    const each = lines.length === last - first + 1;
    const body = make('div', {className: 'whole', dir: 'auto'});
    if (!each && filled !== last - first + 1) {
      body.append(...marked(text, found, 0, text.length));
      return body;
    }
    let at = 0, line = first;
    body.classList.add('lines');
    for (const part of lines) {
      const counts = each || part.trim() !== '';
      body.append(make('i', {textContent: counts ? line : ''}),
        make('span', {}, ...marked(text, found, at, at + part.length)));
      line += counts;
      at += part.length + 1;
    }
    return body;
  };
  const linked = (url, inside, className) => url === null
    ? make('span', {className}, inside)
    : make('a', {href: url, className, rel: 'noreferrer noopener', target: '_blank'}, inside);
  const urlOf = (all, row) => all.urls ? all.urls[row] : all.documents[all.owner[row]].url;

  const passage = async (all, row, asked) => {
    const text = await textOf(all, row);
    const found = hits(all, text, asked);
    const [from, to] = windowOf(text, found);
    const heading = all.headings[all.heading[row]];
    const shown = make('blockquote', {dir: 'auto'}, from > 0 ? '\u2026 ' : null,
      ...marked(text, found, from, to), to < text.length ? ' \u2026' : null);
    const whole = make('details', {}, make('summary', {textContent: 'Read the passage'}));
    whole.addEventListener('toggle', () => {
      shown.hidden = whole.open;
      if (whole.open && !whole.querySelector('.whole')) whole.append(lined(all, row, text, found));
    });
    const place = make('p', {className: 'place'}, linked(urlOf(all, row), all.places[row], 'at'),
      heading ? make('bdi', {className: 'under', textContent: heading}) : null);
    return make('div', {className: 'passage'}, place, shown, whole);
  };
  const day = moment => moment.slice(0, 10);
  const entry = async (all, hit, asked) => {
    const one = all.documents[hit.document];
    const title = make('h2', {}, linked(one.url, make('bdi', {textContent: one.title}), 'title'));
    const facts = make('p', {className: 'facts'},
      make('span', {className: 'source', textContent: all.sources[one.source]}),
      make('bdi', {className: 'id', textContent: one.id}),
      make('time', {dateTime: one.updated, textContent: day(one.updated)}));
    const shown = make('li', {tabIndex: -1}, title, facts);
    if (hit.rows.length) shown.append(await passage(all, hit.rows[0], asked));
    const others = hit.rows.slice(1, MORE);
    if (others.length) {
      const more = make('button', {type: 'button', className: 'more',
        textContent: `${counted(others.length, 'more passage')} of this document`});
      more.addEventListener('click', async () => {
        const parts = await Promise.all(others.map(row => passage(all, row, asked)));
        more.replaceWith(...parts);
      });
      shown.append(more);
    }
    return shown;
  };

  // --- asking ---
  let all = null, source = null, asking = 0, shownSoFar = 0, found = [], words = new Set();
  const show = async turn => {
    const next = found.slice(shownSoFar, shownSoFar + SHOWN);
    const entries = await Promise.all(next.map(hit => entry(all, hit, words)));
    if (turn !== asking) return;
    if (!shownSoFar) list.replaceChildren();
    list.append(...entries);
    shownSoFar += next.length;
    rest.hidden = shownSoFar >= found.length;
  };
  const ask = async () => {
    const turn = asking += 1;
    const began = performance.now();
    const text = field.value.trim();
    const asked = meant(all, text);
    words = new Set(asked);
    const scope = scopeOf(all, source);
    found = asked.length ? rank(all, asked, scope)
      : all.documents.map((_, document) => ({document, rows: [], score: 0})).filter(hit => scope.fits[hit.document]);
    shownSoFar = 0;
    await show(turn);
    if (turn !== asking) return;
    document.documentElement.classList.toggle('asked', asked.length > 0);
    const lacking = [...words].filter(term => !all.number.has(term));
    if (!found.length) list.replaceChildren();
    told.replaceChildren(...say(text, asked, lacking, performance.now() - began));
    performance.measure('search', {start: began, detail: text});
    const state = new URLSearchParams();
    if (text) state.set('q', text);
    if (source !== null) state.set('source', all.sources[source]);
    history.replaceState(null, '', state.size ? `#${state}` : location.href.split('#')[0]);
  };
  const say = (text, asked, lacking, took) => {
    if (!text) return ['Changed last'];
    if (!asked.length) return ['Only very common words: add a specific one. Changed last:'];
    if (!found.length) return ['Nothing found. Try fewer or other words', source === null ? '.' : ', or all sources.'];
    const parts = [make('b', {textContent: counted(found.length, 'document')}), ` in ${took.toFixed(took < 10 ? 1 : 0)} ms`];
    if (lacking.length) parts.push(`; nowhere: ${lacking.join(', ')}`);
    return parts;
  };

  const choose = chosen => {
    source = chosen;
    [...chips.children].forEach((chip, i) => chip.setAttribute('aria-pressed', i - 1 === (source ?? -1)));
  };
  const chip = (name, count, chosen) => {
    const made = make('button', {type: 'button'}, make('bdi', {textContent: name}),
      make('small', {textContent: number.format(count)}));
    made.addEventListener('click', () => { choose(chosen); ask(); });
    return made;
  };
  const restore = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    field.value = state.get('q') || '';
    const named = all.sources.indexOf(state.get('source'));
    choose(named < 0 ? null : named);
    return ask();
  };
  const move = step => {
    const entries = [...list.children];
    const at = entries.findIndex(one => one.contains(document.activeElement));
    const to = at + step;
    if (to < 0) field.focus();
    else if (entries[to]) {
      (entries[to].querySelector('a.title') || entries[to]).focus({preventScroll: true});
      entries[to].scrollIntoView({block: 'nearest'});
    }
  };
  addEventListener('keydown', event => {
    const typing = event.target === field;
    if (event.ctrlKey && event.key === 'k' || event.metaKey && event.key === 'k' || event.key === '/' && !typing) {
      event.preventDefault();
      field.select();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (event.altKey || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Escape' && !typing) field.focus();
  });

  const begin = async () => {
    if (!window.DecompressionStream) {
      told.textContent = 'This browser is too old for this page; use one from 2023 or later.';
      return;
    }
    all = await open();
    if (all.sources.length > 1) {
      const counts = all.sources.map((_, i) => all.documents.filter(one => one.source === i).length);
      chips.append(chip('All', all.documents.length, null), ...all.sources.map((name, i) => chip(name, counts[i], i)));
    }
    await restore();
    field.addEventListener('input', ask);
    addEventListener('hashchange', restore);
    rest.addEventListener('click', () => show(asking));
    performance.measure('ready');
    document.documentElement.classList.add('ready');
  };
  begin().catch(error => {
    told.textContent = 'This page cannot be opened; the copy may be incomplete. Export it again.';
    throw error;
  });
})();
