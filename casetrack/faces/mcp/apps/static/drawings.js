// The timeline and the graph: SVG drawings of the server whose links open passages.
const drawingWidth = () => Math.min(Math.max(main().clientWidth || 700, 320), 1600);

// Links of a drawing are handled within the page.
const follow = (drawing, ways) => {
  drawing.addEventListener('click', event => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const [, kind, at] = /^#([a-z]+)-(\d+)$/.exec(link.getAttribute('href')) || [];
    if (kind && ways[kind]) ways[kind](Number(at));
  });
  return drawing;
};

// --- time ---------------------------------------------------------------------------------------
const DAY = 86400000;
const stamp = text => {
  const [, year, month, date] = /^(-?\d{4})(?:-(\d\d))?(?:-(\d\d))?/.exec(text) || [];
  if (!year) return NaN;
  const when = new Date(Date.UTC(2000, (month || 1) - 1, date || 1));
  when.setUTCFullYear(+year);
  return when.getTime();
};
const iso = moment => new Date(Math.min(Math.max(moment, stamp('0001-01-01')), stamp('9999-12-31'))).toISOString().slice(0, 10);

const timelineView = asked => {
  const state = {start: asked.start_date, end: asked.end_date, span: null};
  const box = el('div', {class: 'drawn'});
  const from = el('input', {type: 'date', 'aria-label': t('from_day')});
  const until = el('input', {type: 'date', 'aria-label': t('to_day')});
  const ask = () => into(box, () => call('show_timeline', {start_date: state.start, end_date: state.end, collection: given.collection, width: drawingWidth()}), lay);
  const move = (factor, shift) => {
    if (!state.span) return;
    const [first, last] = state.span, length = Math.max(last - first, DAY);
    const middle = (first + last) / 2 + shift * length, half = (length * factor) / 2;
    Object.assign(state, {start: iso(middle - half), end: iso(middle + half)});
    ask();
  };
  const lay = result => {
    const facts = result.structuredContent;
    const events = facts.events || [];
    const days = events.flatMap(each => each.date.split('/')).map(stamp).filter(Number.isFinite);
    const bounds = [stamp(state.start || ''), stamp(state.end || '')];
    if (days.length) state.span = [Math.min(...days), Math.max(...days)];
    if (Number.isFinite(bounds[0]) && Number.isFinite(bounds[1])) state.span = bounds;
    from.value = state.start || (state.span ? iso(state.span[0]) : '');
    until.value = state.end || (state.span ? iso(state.span[1]) : '');
    if (!events.length) return [note(t('no_events'))];
    const hits = events.map(each => cited(each));
    const show = at => open(passageView(hits[at], {hits, at}));
    const count = t(events.length < facts.total ? 'events_heaviest' : 'events', {shown: number(events.length), count: number(facts.total)});
    const list = el('ol', {class: 'events'}, events.map((each, at) => el('li', {},
      el('time', {datetime: each.date}, /^\d{4}(-\d\d){0,2}$/.test(each.date) ? day(each.date) : facts.words[at]),
      el('div', {}, el('p', {dir: 'auto'}, each.description), placeLink(each, each.citation, hits, at)))));
    return [
      el('p', {class: 'soft'}, count, facts.undated ? ' ' + t('undated', {count: number(facts.undated)}) : ''),
      ...(facts.notes || []).map(text => note(text)),
      follow(el('div', {class: 'drawing'}, drawn(facts.drawing)), {event: show}),
      list,
    ];
  };
  const choose = () => {
    Object.assign(state, {start: from.value || undefined, end: until.value || undefined});
    ask();
  };
  const view = el('section', {class: 'timeline'},
    el('header', {}, backButton(), fillButton(), el('h1', {}, t('timeline'))),
    entry(choose, {class: 'bar'},
      sign('‹', t('time_earlier'), () => move(1, -0.5)), sign('−', t('time_out'), () => move(2, 0)),
      sign('+', t('time_in'), () => move(0.5, 0)), sign('›', t('time_later'), () => move(1, 0.5)),
      button(t('time_all'), () => { Object.assign(state, {start: undefined, end: undefined, span: null}); ask(); }),
      from, until, button(t('show'), choose, {class: 'choose'})),
    box);
  ask();
  return view;
};

// --- entities ------------------------------------------------------------------------------------
const graphView = asked => {
  const state = {...asked};
  const box = el('div', {class: 'drawn'});
  const title = el('h1', {}, t('graph'));
  const panel = el('div', {class: 'beside', role: 'status'});
  const center = name => { state.entity_name = name; ask(); };
  const ask = () => into(box, () => call('show_graph', {entity_name: state.entity_name, depth: state.depth, top_k: state.top_k, collection: given.collection, width: drawingWidth()}), lay);
  const lay = result => {
    const facts = result.structuredContent;
    const nodes = facts.nodes || [], edges = facts.edges || [];
    title.replaceChildren(facts.center ? t('graph_around', {name: facts.center.name}) : t('graph'));
    panel.replaceChildren();
    if (!nodes.length) return [note(t('no_graph'))];
    const why = at => {
      const edge = edges[at], proof = edge.evidence;
      panel.replaceChildren(
        el('h2', {class: 'name'}, bdi(edge.source_name), ' – ', bdi(edge.target_name)),
        el('p', {class: 'soft'}, t('together', {count: number(edge.count)})),
        proof ? el('ul', {class: 'quotes'}, quoteItem(proof, proof.snippet || proof.text)) : el('p', {class: 'soft'}, t('without_quote')));
      panel.scrollIntoView({block: 'nearest'});
    };
    const drawing = follow(el('div', {class: 'drawing'}, drawn(facts.drawing), drawn(facts.legend)), {name: at => center(nodes[at].name), link: why});
    return [
      el('p', {class: 'soft'}, t('graph_about')),
      drawing, panel,
      el('div', {class: 'two'},
        el('section', {}, el('h2', {}, t('names')), el('ol', {class: 'names'}, nodes.map(each => el('li', {},
          button(bdi(each.name), () => center(each.name), {class: 'link', title: t('center')}), each.role ? [' · ', bdi(each.role)] : null,
          el('span', {class: 'soft'}, ' · ' + t('mentions', {count: number(each.mention_count)})))))),
        el('section', {}, el('h2', {}, t('links')), el('ol', {class: 'names'}, edges.map((each, at) => el('li', {},
          button([bdi(each.source_name), ' – ', bdi(each.target_name)], () => why(at), {class: 'link'}),
          el('span', {class: 'soft'}, ' · ' + t('together', {count: number(each.count)}))))))),
    ];
  };
  const view = el('section', {class: 'graph-view'},
    el('header', {}, backButton(), fillButton(), title),
    el('p', {class: 'bar'}, button(t('graph_all'), () => { state.entity_name = undefined; ask(); })),
    box);
  ask();
  return view;
};
