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

// Accept messages only from the parent window.
window.addEventListener('message', event => {
  const message = event.data;
  if (event.source !== window.parent || !message || message.jsonrpc !== '2.0') return;
  if (message.method === undefined) {
    const pending = waiting.get(message.id);
    if (!pending) return;
    waiting.delete(message.id);
    if (message.error) pending.reject(new Error(message.error.message || t('failed')));
    else pending.resolve(message.result);
  } else if (message.id === undefined) {
    const hear = heard[message.method];
    if (hear) hear(message.params || {});
  } else if (message.method === 'ui/resource-teardown' || message.method === 'ping') {
    post({id: message.id, result: {}});
  } else {
    post({id: message.id, error: {code: -32601, message: 'Method not found: ' + message.method}});
  }
});

// Returns the result of a tool; a failure is thrown with the server's message.
const call = async (name, given) => {
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  const asked = request('tools/call', {name, arguments: args});
  // A program that does not announce tool calls may leave one unanswered.
  const patience = host.abilities.serverTools ? [] : [new Promise((_, reject) => setTimeout(() => reject(new Error(t('no_calls'))), 10000))];
  const result = await Promise.race([asked, ...patience]);
  if (result.isError) throw new Error(words(result) || t('failed'));
  return result;
};
const words = result => (result.content || []).filter(c => c.type === 'text').map(c => c.text).join('\n');
const picture = result => (result.content || []).find(c => c.type === 'image');

// --- appearance ----------------------------------------------------------------------------------
const styled = new Set();
const dress = () => {
  const root = document.documentElement;
  const {theme, styles, locale, safeAreaInsets, containerDimensions, displayMode} = host.context;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  for (const [name, value] of Object.entries((styles && styles.variables) || {})) {
    // Values that would load a resource, such as fonts of the program, are left out.
    if (!/^--[a-z0-9-]+$/.test(name) || typeof value !== 'string' || /url\(|image\(|@import/i.test(value)) continue;
    root.style.setProperty(name, value);
    styled.add(name);
  }
  if (locale) root.lang = language();
  for (const side of ['top', 'right', 'bottom', 'left']) {
    root.style.setProperty('--inset-' + side, ((safeAreaInsets && safeAreaInsets[side]) || 0) + 'px');
  }
  const size = containerDimensions || {};
  root.style.setProperty('--room', (size.height || size.maxHeight || 720) + 'px');
  root.classList.toggle('fixed', size.height !== undefined || displayMode === 'fullscreen');
  document.dispatchEvent(new Event('dressed'));
};
const canFill = () => (host.context.availableDisplayModes || []).includes('fullscreen');
const isFull = () => host.context.displayMode === 'fullscreen';
const fill = async full => {
  const reply = await request('ui/request-display-mode', {mode: full ? 'fullscreen' : 'inline'});
  host.context.displayMode = reply.mode;
  dress();
};

// --- height: the program adapts its frame to the page --------------------------------------------
let sent = 0;
const measure = () => {
  const height = Math.ceil(document.getElementById('main').getBoundingClientRect().height);
  if (height && window.innerWidth > 99 && height !== sent && !document.documentElement.classList.contains('fixed')) {
    sent = height;
    notify('ui/notifications/size-changed', {width: window.innerWidth, height});
  }
};

const connect = async () => {
  const reply = await request('ui/initialize', {
    appInfo: {name: 'casetrack-' + CONFIG.page, version: CONFIG.version},
    appCapabilities: {availableDisplayModes: ['inline', 'fullscreen']},
    protocolVersion: '2026-01-26',
  });
  host.abilities = reply.hostCapabilities || {};
  host.context = reply.hostContext || {};
  dress();
  notify('ui/notifications/initialized');
  new ResizeObserver(measure).observe(document.getElementById('main'));
};
