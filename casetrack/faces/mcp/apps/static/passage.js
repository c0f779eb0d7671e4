// A passage on its page: the picture with highlights, or the text with the passage marked.
const LEAST = 0.5, MOST = 6;

// place: {chunk_id} or {document_name, page}; more: the question, and the other places of a list.
const passageView = (place, more = {}) => {
  const state = {place, hits: more.hits || [], at: more.at || 0, zoom: 1, shown: null};
  const box = el('div', {class: 'sheet'}, el('header', {}, stack.length || main().childNodes.length ? button('← ' + t('back'), back, {class: 'back'}) : null), el('p', {class: 'soft'}, t('loading')));
  const view = el('article', {class: 'passage'}, box);

  const go = next => {
    state.place = next;
    const asked = {...next, question: next.chunk_id ? more.question : undefined, collection: next.collection || given.collection, password: given.arguments.password};
    return into(box, () => call('show_page', asked), result => lay(result));
  };
  const hit = step => {
    state.at += step;
    return go(state.hits[state.at]);
  };
  const page = number => go({document_name: state.shown.document_id, page: number});

  const lay = result => {
    const facts = (state.shown = result.structuredContent);
    const image = picture(result);
    const kind = facts.sheet ? 'sheet' : facts.page_kind;
    const where = t((TEXTS[kind + '_place'] ? kind : 'page') + '_place', {page: number(facts.page), count: number(facts.page_count)});
    const frame = image ? pictureFrame(facts, image, where) : el('div', {class: 'text'}, drawn(facts.body));
    const turns = el('p', {class: 'bar'},
      sign('‹', t('page_previous'), () => page(facts.page - 1), {disabled: facts.page <= 1, class: 'previous'}),
      el('span', {class: 'place'}, where, facts.sheet ? [' · ', bdi(facts.sheet)] : null),
      sign('›', t('page_next'), () => page(facts.page + 1), {disabled: facts.page >= facts.page_count, class: 'next'}),
      state.hits.length > 1 ? el('span', {class: 'hits'},
        sign('↑', t('hit_previous'), () => hit(-1), {disabled: state.at <= 0}),
        el('span', {}, t('hit_place', {n: state.at + 1, count: state.hits.length})),
        sign('↓', t('hit_next'), () => hit(1), {disabled: state.at >= state.hits.length - 1})) : null,
      facts.passage ? el('span', {class: 'neighbours'},
        sign('⇠', t('passage_previous'), () => go({chunk_id: facts.before}), {disabled: !facts.before}),
        sign('⇢', t('passage_next'), () => go({chunk_id: facts.after}), {disabled: !facts.after})) : null,
      image ? el('span', {class: 'zoom'},
        sign('−', t('zoom_out'), () => zoom(state.zoom / 1.25), {class: 'smaller'}),
        sign('↔', t('zoom_fit'), () => zoom(1)),
        sign('+', t('zoom_in'), () => zoom(state.zoom * 1.25), {class: 'larger'})) : null,
      facts.quote ? button(t('copy'), copy, {class: 'copy'}) : null);
    const parts = [
      el('header', {}, backButton(), fillButton(), el('h1', {}, bdi(facts.document)),
        el('p', {class: 'citation'}, facts.quote_citation || facts.citation)),
      turns,
      ...facts.notes.map(text => note(text)),
      frame,
    ];
    if (facts.passage) {
      parts.push(el('section', {}, el('h2', {}, t('passage')),
        el('div', {class: 'paper words'}, el('p', {class: 'plain', dir: 'auto'}, marked(facts.passage.text.trim(), facts.answers[0])))));
    }
    parts.push(el('p', {class: 'soft keys'}, t('keys')));
    requestAnimationFrame(() => toMark(frame));
    return parts;
  };

  const pictureFrame = (facts, image, where) => {
    const shown = el('img', {alt: t('picture_of', {place: where, document: facts.document}), src: `data:${image.mimeType};base64,${image.data}`});
    const sheet = el('figure', {class: 'frame'}, shown, drawn(facts.marks));
    sheet.style.width = state.zoom * 100 + '%';
    const around = el('div', {class: 'desk', tabindex: '0', role: 'region', 'aria-label': where}, sheet);
    shown.addEventListener('load', () => toMark(around));
    return around;
  };
  const zoom = wanted => {
    const desk = box.querySelector('.desk');
    if (!desk) return;
    const middle = [(desk.scrollLeft + desk.clientWidth / 2) / desk.scrollWidth, (desk.scrollTop + desk.clientHeight / 2) / desk.scrollHeight];
    state.zoom = Math.min(Math.max(wanted, LEAST), MOST);
    desk.firstElementChild.style.width = state.zoom * 100 + '%';
    desk.scrollTo(middle[0] * desk.scrollWidth - desk.clientWidth / 2, middle[1] * desk.scrollHeight - desk.clientHeight / 2);
  };
  const copy = async event => {
    const pressed = event.currentTarget;
    const done = await copyText(`“${state.shown.quote}” (${state.shown.quote_citation})`);
    pressed.textContent = t(done ? 'copied' : 'not_copied');
  };
  view.addEventListener('keydown', event => {
    if (event.target.matches('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey || !state.shown) return;
    const desk = event.target.closest('.desk, .scroll');
    const wide = desk && desk.scrollWidth > desk.clientWidth + 1;
    if (event.key === '+') zoom(state.zoom * 1.25);
    else if (event.key === '-') zoom(state.zoom / 1.25);
    else if (event.key === 'ArrowLeft' && !wide && state.shown.page > 1) page(state.shown.page - 1);
    else if (event.key === 'ArrowRight' && !wide && state.shown.page < state.shown.page_count) page(state.shown.page + 1);
    else return;
    event.preventDefault();
  });

  view.ready = go(place);
  return view;
};

// Scrolls only the sheet to the passage.
const toMark = frame => {
  const scroller = frame.matches('.desk') ? frame : frame.querySelector('.scroll');
  const mark = frame.querySelector('.strong') || frame.querySelector('#passage');
  if (!scroller || !mark) return;
  const inside = mark.getBoundingClientRect(), around = scroller.getBoundingClientRect();
  scroller.scrollTop += inside.top - around.top - scroller.clientHeight * 0.3;
};
