// The program that shows this page: JSON-RPC over postMessage, MCP Apps 2026-01-26.
const host = {context: {}, abilities: {}, name: ''};
const waiting = new Map();
const heard = {};
let lastId = 0;

const post = message => window.parent.postMessage({jsonrpc: '2.0', ...message}, '*');
const notify = (method, params = {}) => post({method, params});
const request = (method, params) => new Promise((resolve, reject) => {
  lastId += 1;
  waiting.set(lastId, {resolve, reject});
  post({id: lastId, method, params});
});

// Nothing else than the window that holds this one is listened to.
window.addEventListener('message', event => {
  const said = event.data;
  if (event.source !== window.parent || !said || said.jsonrpc !== '2.0') return;
  if (said.method === undefined) {
    const asked = waiting.get(said.id);
    if (!asked) return;
    waiting.delete(said.id);
    if (said.error) asked.reject(new Error(said.error.message || t('failed')));
    else asked.resolve(said.result);
  } else if (said.id === undefined) {
    const hear = heard[said.method];
    if (hear) hear(said.params || {});
  } else if (said.method === 'ui/resource-teardown' || said.method === 'ping') {
    post({id: said.id, result: {}});
  } else {
    post({id: said.id, error: {code: -32601, message: 'Method not found: ' + said.method}});
  }
});

// What a tool answers; what went wrong is thrown in the words of the server.
const call = async (name, given) => {
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  const asked = request('tools/call', {name, arguments: told});
  // A program that does not say it passes calls on may leave one without any answer.
  const patience = host.abilities.serverTools ? [] : [new Promise((_, reject) => setTimeout(() => reject(new Error(t('no_calls'))), 10000))];
  const result = await Promise.race([asked, ...patience]);
  if (result.isError) throw new Error(words(result) || t('failed'));
  return result;
};
const words = result => (result.content || []).filter(c => c.type === 'text').map(c => c.text).join('\n');
const picture = result => (result.content || []).find(c => c.type === 'image');

// --- the looks of the program -----------------------------------------------------------------
const styled = new Set();
const dress = () => {
  const root = document.documentElement;
  const {theme, styles, locale, safeAreaInsets, containerDimensions, displayMode} = host.context;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  for (const [name, value] of Object.entries((styles && styles.variables) || {})) {
    // A value that would load something is left out; fonts of the program would, too.
    if (!/^--[a-z0-9-]+$/.test(name) || typeof value !== 'string' || /url\(|image\(|@import/i.test(value)) continue;
    root.style.setProperty(name, value);
    styled.add(name);
  }
  if (locale) root.lang = language();
  for (const side of ['top', 'right', 'bottom', 'left']) {
    root.style.setProperty('--inset-' + side, ((safeAreaInsets && safeAreaInsets[side]) || 0) + 'px');
  }
  const room = containerDimensions || {};
  root.style.setProperty('--room', (room.height || room.maxHeight || 720) + 'px');
  root.classList.toggle('fixed', room.height !== undefined || displayMode === 'fullscreen');
  document.dispatchEvent(new Event('dressed'));
};
const canFill = () => (host.context.availableDisplayModes || []).includes('fullscreen');
const isFull = () => host.context.displayMode === 'fullscreen';
const fill = async full => {
  const said = await request('ui/request-display-mode', {mode: full ? 'fullscreen' : 'inline'});
  host.context.displayMode = said.mode;
  dress();
};

// --- the height: the program gives as much room as the page needs -------------------------------
let told = 0;
const measure = () => {
  const height = Math.ceil(document.getElementById('main').getBoundingClientRect().height);
  if (height && window.innerWidth > 99 && height !== told && !document.documentElement.classList.contains('fixed')) {
    told = height;
    notify('ui/notifications/size-changed', {width: window.innerWidth, height});
  }
};

const connect = async () => {
  const said = await request('ui/initialize', {
    appInfo: {name: 'casetrack-' + CONFIG.page, version: CONFIG.version},
    appCapabilities: {availableDisplayModes: ['inline', 'fullscreen']},
    protocolVersion: '2026-01-26',
  });
  host.abilities = said.hostCapabilities || {};
  host.context = said.hostContext || {};
  dress();
  notify('ui/notifications/initialized');
  new ResizeObserver(measure).observe(document.getElementById('main'));
};
