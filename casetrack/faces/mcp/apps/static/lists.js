// Lists that open pages: search results, a comparison of two documents, a summary of a collection.
const chunkOf = entry => entry.chunk_id || (entry.source && entry.source.chunk_id);
const cited = (entry, collection) => ({chunk_id: chunkOf(entry), collection: entry.collection && entry.collection !== collection ? entry.collection : undefined});
const sourceOf = (entry, facts) => (typeof entry.source === 'string' ? (facts.sources || {})[entry.source] : entry.source) || {};

// A citation as a link to its page, or as text if it has no place.
const placeLink = (entry, label, hits, at, question) => {
  if (!chunkOf(entry)) return el('span', {class: 'citation'}, label);
  const places = hits || [cited(entry)];
  return button(label, () => open(passageView(places[at || 0], {hits: places, at: at || 0, question})), {class: 'link'});
};
const quoteItem = (entry, text, more = {}) => el('li', {},
  more.head || null,
  text ? el('p', {class: 'said', dir: 'auto'}, flowing(text)) : null,
  placeLink(entry, entry.citation || '', more.hits, more.at));

// --- search -----------------------------------------------------------------------------------
const AROUND = [160, 320];
// The answer, marked in its context; hard line breaks of a paragraph become spaces.
const excerpt = (result, span) => {
  const signs = [...flowing(result.text)];
  const best = result.pinpoint && result.pinpoint[0];
  let [start, end] = span || [0, 0];
  if (!span && best) {
    start = Math.max([...result.text.slice(0, Math.max(result.text.indexOf(best.text), 0))].length, 0);
    end = start + [...best.text].length;
  }
  const first = start > AROUND[0] ? wordAt(signs, start - AROUND[0]) : 0;
  const last = signs.length > end + AROUND[1] ? wordAt(signs, end + AROUND[1]) : signs.length;
  const piece = (from, to) => signs.slice(from, to).join('');
  return [
    (first ? '… ' : '') + piece(first, start),
    end > start ? el('mark', {}, piece(start, end)) : '',
    piece(end, last) + (last < signs.length ? ' …' : ''),
  ];
};
const wordAt = (signs, at) => {
  let place = at;
  while (place < signs.length && !/\s/.test(signs[place])) place += 1;
  return place;
};
// Keeps the length, so that offsets stay valid; table rows keep their lines.
const flowing = text => text.replace(/([^\n])\n(?=[^\n])/g, (both, last, at) => {
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at + 1);
  return line.includes(' | ') || line.length < 40 ? both : last + ' ';
});

const searchView = (result, asked) => {
  const view = el('section', {class: 'search'});
  const list = el('ol', {class: 'results'});
  const field = el('input', {type: 'search', name: 'q', value: asked.query || '', 'aria-label': t('search_label'), autocomplete: 'off', maxlength: '2000'});
  const status = el('div', {role: 'status'});
  const rest = el('p', {});
  const current = {asked, hits: []};

  const ask = more => call(CONFIG.search, {...current.asked, ...more, ...(CONFIG.place && given.collection && !(current.asked.collections || []).length ? {[CONFIG.place]: given.collection} : {})});
  const add = result => {
    const facts = result.structuredContent || {};
    const start = current.hits.length;
    const results = resultsOf(facts);
    current.hits.push(...results.map(each => cited(each, given.collection)));
    const answers = (result._meta || {})['casetrack/graph/answers'] || [];
    results.forEach((each, n) => list.append(resultItem(each, facts, current, start + n, answers[n])));
    const evidence = {none: 'evidence_none', weak: 'evidence_weak'}[facts.evidence];
    const notes = [...(evidence ? [t(evidence)] : []), ...(facts.computed ? [`${facts.computed.text} (${facts.computed.how})`] : []), ...(facts.notes || []), ...(results.length || start ? [] : [facts.next_step || t('nothing')])];
    if (!start) status.replaceChildren(...notes.map(text => note(text)));
    rest.replaceChildren(...(facts.next_offset ? [button(t('more'), () => into(rest, () => ask({offset: facts.next_offset}), add))] : []));
    return [...rest.childNodes];
  };
  const again = () => {
    const query = field.value.trim();
    if (!query || !CONFIG.search) return;
    current.asked = {...asked, query, offset: undefined};
    into(status, () => ask({}), result => {
      current.hits = [];
      list.replaceChildren();
      add(result);
      return [...status.childNodes].filter(part => part.matches('.note'));
    });
  };
  view.append(
    entry(again, {class: 'ask', role: 'search'}, field, button(t('search_go'), again, {class: 'main'}), fillButton()),
    status, el('h1', {class: 'hidden'}, t('results')), list, rest);
  add(result);
  return view;
};

// The edition for developers returns a snippet of each document; others return a text.
const resultsOf = facts => (facts.results || []).map(each => ({...each, text: each.text || each.snippet || ''}));

const resultItem = (each, facts, current, at, span) => {
  const show = () => open(passageView(current.hits[at], {hits: current.hits, at, question: current.asked.query}));
  const where = each.collection && facts.collection !== each.collection ? [bdi(each.collection), ' · '] : [];
  return el('li', {class: 'result'},
    button([...where, bdi(each.citation || each.title || '')], show, {class: 'link'}),
    each.answer ? el('p', {class: 'value'}, el('b', {}, bdi(each.answer.text))) : null,
    el('p', {class: 'excerpt', dir: 'auto'}, excerpt(each, span)),
    each.also && each.also.length ? el('p', {class: 'soft'}, t('also', {count: each.also.length})) : null);
};

// --- two documents ------------------------------------------------------------------------------
const OPS = {same: 'span', removed: 'del', added: 'ins'};
const wordsOf = (words, side) => words.filter(word => word.op === 'same' || word.op === side).map(word => el(OPS[word.op], {}, word.text));
const changeItem = change => {
  const words = change.words || [];
  const side = (quote, name, op, label) => el('div', {class: name},
    el('h2', {}, t(label)),
    quote ? placeLink(quote, quote.citation) : null,
    quote ? el('p', {class: 'said', dir: 'auto'}, words.length ? wordsOf(words, op) : el(OPS[op], {}, quote.text || quote.snippet)) : null);
  return el('li', {class: 'change'},
    change.before ? side(change.before, 'old', 'removed', change.after ? 'before' : 'only_before') : el('div', {}),
    change.after ? side(change.after, 'new', 'added', change.before ? 'after' : 'only_after') : null);
};

const compareView = (result, asked) => {
  const facts = result.structuredContent || {};
  return facts.document_a ? topicView(facts) : changesView(facts, asked);
};
const changesView = (facts, asked) => {
  const list = el('ol', {class: 'changes'});
  const rest = el('p', {});
  const add = result => {
    const more = result.structuredContent;
    list.append(...more.changes.map(changeItem));
    const next = more.next_offset;
    return next ? [button(t('more'), () => into(rest, () => call('compare_versions', {...asked, collection: given.collection, offset: next}), add))] : [];
  };
  const names = [facts.before, facts.after].map(side => bdi(side.document || side.name));
  rest.append(...add({structuredContent: facts}));
  return el('section', {},
    el('header', {}, fillButton(), el('h1', {}, t('changes')), el('p', {class: 'citation'}, names[0], ' → ', names[1])),
    el('p', {}, facts.total ? t('changes_count', {count: number(facts.total), kept: share(facts.kept)}) : t('unchanged')),
    list, rest);
};
const topicView = facts => {
  const side = which => {
    const document = facts[which];
    const passages = document.passages || [];
    const hits = passages.map(each => cited(each));
    return el('div', {},
      el('h2', {class: 'name'}, bdi(document.document || document.name)),
      passages.length ? el('ul', {class: 'quotes'}, passages.map((each, at) => quoteItem(each, each.text, {hits, at}))) : el('p', {class: 'soft'}, t('no_passage')));
  };
  const names = (key, label) => (facts[key] && facts[key].length
    ? el('div', {}, el('h2', {}, label), el('p', {}, facts[key].map(each => bdi(each.name)).flatMap((part, n) => (n ? [', ', part] : [part])))) : null);
  const changed = facts.changes;
  return el('section', {},
    el('header', {}, fillButton(), el('h1', {}, t('on_topic', {topic: facts.topic}))),
    ...(facts.notes || []).map(text => note(text)),
    el('div', {class: 'two'}, side('document_a'), side('document_b')),
    changed && changed.changes ? el('div', {}, el('h2', {}, t('changes_topic', {count: number(changed.total)})), el('ol', {class: 'changes'}, changed.changes.map(changeItem))) : null,
    el('div', {class: 'two'},
      names('shared_entities', t('shared')),
      names('only_a', t('only_in', {document: facts.document_a.document || facts.document_a.name})),
      names('only_b', t('only_in', {document: facts.document_b.document || facts.document_b.name}))));
};

// --- summary of a collection ----------------------------------------------------------------------
const briefingView = result => {
  const facts = result.structuredContent || {};
  const part = (label, items, ...more) => (items && items.length ? el('section', {}, el('h2', {}, label), ...more, el('ul', {class: 'quotes'}, items)) : null);
  const person = each => {
    const name = el('b', {}, bdi(each.name));
    const head = el('p', {class: 'head'},
      CONFIG.calls.includes('show_graph') ? button(name, () => open(graphView({entity_name: each.name})), {class: 'link'}) : name,
      each.role ? [' · ', bdi(each.role)] : null, el('span', {class: 'soft'}, ' · ' + t('mentions', {count: number(each.mention_count)})));
    const proof = each.evidence;
    return proof ? quoteItem(proof, proof.snippet || proof.text, {head}) : el('li', {}, head);
  };
  const event = each => quoteItem(each.chunk_id ? each : each.source || each, each.description, {head: el('p', {class: 'head'}, el('time', {datetime: each.date}, day(each.date)))});
  const topic = each => {
    const quote = (each.quotes || [])[0];
    const head = el('p', {class: 'head'}, el('b', {}, bdi(each.label || each.name || (each.terms || []).join(', '))));
    return quote ? quoteItem(quote, quote.snippet || quote.text, {head}) : el('li', {}, head);
  };
  const kind = each => el('li', {}, el('b', {}, each.document_type.replaceAll('_', ' ')), ' ', number(each.count), ': ',
    (each.documents || []).flatMap((document, n) => [n ? ', ' : '', button(bdi(document.document || document.name), () => open(passageView({document_name: document.document_id, page: 1})), {class: 'link'})]));
  const reference = each => el('li', {}, bdi(each.name));
  const sizes = facts.statistics || {};
  const wide = [
    CONFIG.calls.includes('show_timeline') ? button(t('open_timeline'), () => open(timelineView({}))) : null,
    CONFIG.calls.includes('show_graph') ? button(t('open_graph'), () => open(graphView({}))) : null,
  ].filter(Boolean);
  return el('section', {class: 'briefing'},
    el('header', {}, fillButton(), el('h1', {}, bdi(facts.collection || facts.case || '')),
      el('p', {class: 'citation'}, t('counts', {documents: number(sizes.document_count || 0), pages: number(sizes.page_count || 0)}))),
    wide.length ? el('p', {class: 'bar'}, wide) : null,
    el('div', {class: 'two'},
      part(t('people'), (facts.key_actors || []).map(person)),
      part(t('dates'), (facts.key_dates || []).map(event)),
      part(t('topics'), (facts.topics || []).map(topic)),
      part(t('documents'), (facts.documents || []).map(kind)),
      part(t('references'), (facts.references || []).map(reference)),
      part(t('versions'), (facts.version_chains || []).map(chain => el('li', {}, chain.flatMap((document, n) => [n ? ' → ' : '', bdi(document.document || document.name)]))))));
};
