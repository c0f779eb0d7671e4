// The first view: the result of the tool's call.
const FIRST = {
  search: searchView,
  page: (_result, asked) => passageView(asked.chunk_id ? {chunk_id: asked.chunk_id} : {document_name: asked.document_name, page: asked.page}),
  timeline: (_result, asked) => timelineView(asked),
  graph: (_result, asked) => graphView(asked),
  compare: compareView,
  briefing: briefingView,
};

heard['ui/notifications/tool-input'] = params => {
  given.arguments = params.arguments || {};
};
heard['ui/notifications/tool-result'] = result => {
  stack.length = 0;
  if (result.isError) {
    put(note(words(result) || t('failed'), 'danger'));
    return;
  }
  const facts = result.structuredContent || {};
  const asked = given.arguments;
  given.collection = (result._meta || {})['casetrack/api/collection'] || asked.collection || asked.case || facts.collection || facts.case;
  put(FIRST[CONFIG.page](result, asked));
};
heard['ui/notifications/tool-cancelled'] = () => put(note(t('cancelled')));
heard['ui/notifications/host-context-changed'] = changed => {
  Object.assign(host.context, changed);
  dress();
};

connect().then(() => {
  if (!main().childNodes.length) put(el('p', {class: 'soft'}, t('waiting')));
}, error => put(note(error.message, 'danger')));
