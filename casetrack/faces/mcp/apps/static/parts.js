// Components of every page. Document text is set as text, never as markup.
const language = () => (host.context.locale || navigator.language || 'en').toLowerCase().startsWith('de') ? 'de' : 'en';
const t = (name, values = {}) => TEXTS[name][language()].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
const number = value => new Intl.NumberFormat(language()).format(value);
const share = value => new Intl.NumberFormat(language(), {style: 'percent', maximumFractionDigits: 0}).format(value);

const el = (kind, attributes, ...children) => {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'class') made.className = value;
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return made;
};
// A drawing of the server: it escapes all quotations, and the policy of this page blocks its scripts.
const drawn = html => {
  const holder = document.createElement('template');
  holder.innerHTML = html;
  return holder.content;
};
const button = (label, press, more = {}) => el('button', {type: 'button', onclick: press, ...more}, label);
const sign = (mark, label, press, more = {}) => button(mark, press, {'aria-label': label, title: label, ...more});
const note = (text, kind = '') => el('p', {class: 'note ' + kind, role: kind === 'danger' ? 'alert' : 'note'}, text);
// Marks words where they occur in a text.
const marked = (text, wanted) => {
  const at = wanted ? text.indexOf(wanted) : -1;
  return at < 0 ? [text] : [text.slice(0, at), el('mark', {}, wanted), text.slice(at + wanted.length)];
};
const bdi = text => el('bdi', {}, text);

// A row of fields that Enter submits, because programs may forbid forms.
const entry = (send, attributes, ...parts) => {
  const row = el('div', attributes, ...parts);
  row.addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.target.matches('input')) {
      event.preventDefault();
      send();
    }
  });
  return row;
};

const fillButton = () => {
  if (!canFill()) return null;
  const label = t(isFull() ? 'small' : 'full');
  const press = async event => {
    const pressed = event.currentTarget;
    await fill(!isFull());
    const now = t(isFull() ? 'small' : 'full');
    pressed.setAttribute('aria-label', now);
    pressed.title = now;
    pressed.setAttribute('aria-pressed', String(isFull()));
  };
  return sign('⤢', label, press, {'aria-pressed': String(isFull()), class: 'fill'});
};

// Dates are ISO 8601 with their precision.
const day = iso => {
  const [, year, month, date] = /^(-?\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(iso) || [];
  if (!year) return iso;
  const when = new Date(Date.UTC(+year, (month || 1) - 1, date || 1));
  when.setUTCFullYear(+year);
  const shown = {year: 'numeric', timeZone: 'UTC'};
  if (month) shown.month = 'long';
  if (date) shown.day = 'numeric';
  return new Intl.DateTimeFormat(language() === 'de' ? 'de-DE' : 'en-GB', shown).format(when);
};

const copyText = async text => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el('textarea', {class: 'hidden', 'aria-hidden': 'true'});
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
};

// --- views: the first one, and those opened from it ---------------------------------------------
const given = {arguments: {}, collection: undefined};
const stack = [];
const main = () => document.getElementById('main');
const put = (...parts) => main().replaceChildren(...parts.flat().filter(Boolean));

// Opens a view over the current one; going back restores that one.
const open = view => {
  stack.push({parts: [...main().childNodes], focus: document.activeElement, top: main().scrollTop});
  put(view);
  const first = view.querySelector('h1, button');
  if (first) {
    if (!first.matches('button')) first.tabIndex = -1;
    first.focus({preventScroll: true});
  }
  main().scrollTop = 0;
};
const back = () => {
  const last = stack.pop();
  if (!last) return;
  put(last.parts);
  if (last.focus && last.focus.isConnected) last.focus.focus({preventScroll: true});
  main().scrollTop = last.top;
};
const backButton = () => (stack.length ? button('← ' + t('back'), back, {class: 'back'}) : null);
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && stack.length) {
    event.preventDefault();
    back();
  }
});

// Replaces the content of a box; keyboard focus stays, or moves to the title.
const replace = (box, parts) => {
  const held = box.contains(document.activeElement) ? document.activeElement : null;
  box.replaceChildren(...parts);
  if (!held || held.isConnected) return;
  const label = held.getAttribute('aria-label');
  const same = label && [...box.querySelectorAll('[aria-label]')].find(one => one.getAttribute('aria-label') === label && !one.disabled);
  const next = same || box.querySelector('h1') || box.querySelector('button');
  if (!next) return;
  if (next.matches('h1')) next.tabIndex = -1;
  next.focus({preventScroll: true});
};

// Shows the result of a call in a box, or its error with a retry button.
const into = async (box, work, show) => {
  const turn = (box.turn = (box.turn || 0) + 1);
  box.setAttribute('aria-busy', 'true');
  if (!box.childNodes.length) box.append(el('p', {class: 'soft'}, t('loading')));
  try {
    const result = await work();
    if (turn === box.turn) replace(box, [show(result)].flat().filter(Boolean));
  } catch (error) {
    if (turn === box.turn) replace(box, [note(error.message, 'danger'), button(t('again'), () => into(box, work, show))]);
  } finally {
    if (turn === box.turn) box.removeAttribute('aria-busy');
  }
};
