'use strict';
(() => {
  document.documentElement.classList.add('js');
  const all = (selector, within) => [...(within || document).querySelectorAll(selector)];
  const get = id => document.getElementById(id);
  const panel = get('panel');
  const articles = all('.passage');
  const list = document.querySelector('details.all');
  let shown = -1;

  // --- a passage in its panel ---
  const show = number => {
    const article = articles[number];
    if (!article) return;
    shown = number;
    const proof = article.querySelector('.proof').cloneNode(true);
    get('panel-title').textContent = article.querySelector('.cited bdi').textContent;
    get('panel-body').replaceChildren(proof);
    get('panel-back').disabled = number === 0;
    get('panel-on').disabled = number === articles.length - 1;
    if (!panel.open) panel.showModal();
    get('panel-body').scrollTop = 0;
    // The highlighted words come into view, however far down the page they stand.
    const words = proof.querySelector('.pen rect, .leaf mark');
    const box = get('panel-body').getBoundingClientRect();
    if (words && innerWidth >= 896 && words.getBoundingClientRect().top > box.bottom - 60) {
      words.scrollIntoView({block: 'center'});
    }
    get('panel-title').focus({preventScroll: true});
  };
  const numberOf = hash => {
    const found = /^#s(\d+)$/.exec(hash || '');
    return found ? Number(found[1]) - 1 : -1;
  };
  document.addEventListener('click', event => {
    const link = event.target.closest && event.target.closest('a.ref');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const number = numberOf(link.getAttribute('href'));
    if (!articles[number]) return;
    event.preventDefault();
    show(number);
  });
  get('panel-back').addEventListener('click', () => show(shown - 1));
  get('panel-on').addEventListener('click', () => show(shown + 1));
  get('panel-close').addEventListener('click', () => panel.close());
  panel.addEventListener('click', event => { if (event.target === panel) panel.close(); });
  panel.addEventListener('close', () => get('panel-body').replaceChildren());
  panel.addEventListener('keydown', event => {
    if (event.key === 'ArrowLeft') show(shown - 1);
    if (event.key === 'ArrowRight') show(shown + 1);
  });

  // --- the list of passages: closed on the screen, open on paper ---
  if (list) list.open = false;
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    closed.forEach(one => { one.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach(one => { one.open = false; }));

  // --- where one is ---
  const links = all('.contents a');
  const sections = links.map(link => get(link.getAttribute('href').slice(1)));
  const mark = () => {
    let here = 0;
    sections.forEach((one, n) => { if (one.getBoundingClientRect().top < innerHeight / 3) here = n; });
    if (scrollY + innerHeight >= document.documentElement.scrollHeight - 4) here = links.length - 1;
    links.forEach((link, n) => {
      if (n === here) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    const bar = links[here].closest('ol');
    const at = links[here];
    if (at.offsetLeft < bar.scrollLeft || at.offsetLeft + at.offsetWidth > bar.scrollLeft + bar.clientWidth) {
      bar.scrollLeft = at.offsetLeft - 16;
    }
  };
  addEventListener('scroll', mark, {passive: true});
  addEventListener('resize', mark);
  mark();
  if (numberOf(location.hash) >= 0) show(numberOf(location.hash));
})();
