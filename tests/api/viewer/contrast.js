
(() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', {willReadFrequently: true});
  const known = {};
  const parsed = colour => known[colour] ??= (() => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  })();
  const over = (top, under) => under.map((v, i) => top[i] * top[3] + v * (1 - top[3]));
  const light = colour => {
    const [r, g, b] = colour.map(v => v / 255).map(
      v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const faint = [];
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walk.nextNode();) {
    const own = node.parentElement;
    if (!node.data.trim() || seen.has(own) || own.closest('script, style')) continue;
    seen.add(own);
    if (!own.getClientRects().length) continue;
    let ground = [255, 255, 255], alpha = 1;
    const chain = [];
    for (let up = own; up; up = up.parentElement) chain.unshift(getComputedStyle(up));
    for (const style of chain) {
      ground = over(parsed(style.backgroundColor), ground);
      alpha *= +style.opacity;
    }
    const style = chain.at(-1), size = parseFloat(style.fontSize);
    const ink = [...parsed(own.closest('svg') ? style.fill : style.color)];
    ink[3] *= alpha;
    const a = light(over(ink, ground)), b = light(ground);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const large = size >= 24 || size >= 18.66 && +style.fontWeight >= 700;
    if (ratio < (large ? 3 : 4.5)) {
      faint.push(`${own.outerHTML.slice(0, 60)} ${ratio.toFixed(2)}`);
    }
  }
  return faint;
})()
