// Enhancements of links and forms. Without this script every page still works.
"use strict";

(() => {
  const wide = () => matchMedia("(min-width: 76rem)").matches;

  // A link with data-into shows its page in a part of the current page.
  async function show(link) {
    const part = document.getElementById(link.dataset.into);
    let answer;
    try {
      answer = await fetch(link.href, { headers: { "x-part": "1" } });
    } catch {
      location.href = link.href;
      return;
    }
    if (!answer.ok || answer.redirected) {
      location.href = link.href;
      return;
    }
    part.innerHTML = await answer.text();
    part.scrollTop = 0;
    for (const other of document.querySelectorAll("a[data-into][aria-current]")) other.removeAttribute("aria-current");
    if (part !== link.closest(`#${part.id}`)) link.setAttribute("aria-current", "true");
    centre(part);
  }

  // Scrolls a passage to the middle of its part, without scrolling the page.
  function centre(part) {
    const target = part.querySelector(".target");
    const image = part.querySelector(".frame img");
    if (!target) return;
    const scrolled = target.closest(".scroll") ?? part;
    const move = () => {
      const { top, height } = target.getBoundingClientRect();
      const middle = scrolled.getBoundingClientRect().top + scrolled.clientHeight / 3;
      scrolled.scrollTop += top + height / 2 - middle;
    };
    move();
    if (image && !image.complete) image.addEventListener("load", move, { once: true });
  }

  // Replaces the changed parts of the page by those of another address; scroll and focus stay.
  async function swap(address) {
    let page;
    try {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(answer.status);
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch {
      location.href = address;
      return;
    }
    const { name, value, id } = document.activeElement ?? {};
    const open = document.getElementById("narrowing")?.checked;
    const shown = document.getElementById("preview");
    document.querySelectorAll("[data-swapped]").forEach((part, place) => {
      part.replaceWith(page.querySelectorAll("[data-swapped]")[place]);
    });
    if (shown) document.getElementById("preview")?.replaceWith(shown);
    if (open) document.getElementById("narrowing").checked = true;
    const same = [...document.querySelectorAll("[data-swapped] :is(input, select, a)")].find((each) => (id && each.id === id) || (name && each.name === name && (each.type !== "checkbox" || each.value === value)));
    same?.focus({ preventScroll: true });
    history.pushState(null, "", address);
    open_first();
    again();
  }
  addEventListener("popstate", () => location.reload());

  document.addEventListener("click", (event) => {
    const other = event.target.closest("a[data-swap]");
    if (other && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      swap(other.href);
      return;
    }
    const link = event.target.closest("a[data-into]");
    if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0 && wide()) {
      event.preventDefault();
      show(link);
      return;
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) quote(copy);
  });

  // The words of a passage with their offsets.
  async function quote(button) {
    const { quote, citation } = button.dataset;
    // The selection within a passage, with its offsets.
    const selected = getSelection().toString().trim().replace(/\s+/g, " ");
    const words = quote.replace(/\s+/g, " ");
    await navigator.clipboard.writeText(`\u201c${selected && words.includes(selected) ? selected : words}\u201d (${citation})`);
    const before = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = before; }, 1600);
  }

  // Adds a star without leaving the page.
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("form[data-quiet]") || !form.closest("#preview")) return;
    event.preventDefault();
    const answer = await fetch(form.action, { method: "POST", headers: { "x-part": "1" }, body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok) { form.submit(); return; }
    const shown = document.querySelector("a[data-into][aria-current]");
    if (shown) show(shown);
  });

  // A selected facet submits the form.
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-now]");
    const given = form && [...new FormData(form)].filter(([, value]) => value);
    if (form) swap(`${form.getAttribute("action")}?${new URLSearchParams(given)}`);
  });

  // Polls running work until its end.
  let polled;
  async function again() {
    const part = document.querySelector("[data-again]");
    clearTimeout(polled);
    if (!part) return;
    try {
      const answer = await fetch(part.dataset.again, { headers: { "x-part": "1" } });
      if (answer.ok) part.outerHTML = await answer.text();
      document.querySelector("a[data-go]")?.click();
    } catch {
      // The window may be restarting; the next poll shows it.
    }
    polled = setTimeout(again, 700);
  }
  again();

  // Accepts dropped files anywhere on a form with a file field.
  const form = document.querySelector("form[data-drop]");
  if (form) {
    const over = (event) => { event.preventDefault(); form.classList.add("over"); };
    form.addEventListener("dragover", over);
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      form.querySelector("input[type=file]").files = event.dataTransfer.files;
      form.requestSubmit();
    });
  }

  // Keys: "/" focuses the question, j and k move through the results, Enter opens the focused one.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "ArrowDown" && event.target.matches("[data-key='/']")) document.querySelector("a[data-nth]")?.focus();
    if (event.key === "Escape" && typing) typing.blur();
    if (typing || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "/") {
      const box = document.querySelector("[data-key='/']");
      if (box) { event.preventDefault(); box.focus(); box.select(); }
      return;
    }
    if (event.key === "?") {
      const menu = document.querySelector(".menu");
      menu.open = !menu.open;
      if (menu.open) menu.querySelector("summary").focus();
      return;
    }
    const turn = document.querySelector(`main [data-key="${CSS.escape(event.key)}"]`);
    if (turn) {
      event.preventDefault();
      turn.click();
      turn.parentElement.querySelector("details[open] input:not([type=hidden])")?.focus();
      return;
    }
    const step = { j: 1, k: -1 }[event.key];
    if (!step) return;
    const links = [...document.querySelectorAll("a[data-nth]")];
    const at = links.findIndex((link) => link === document.activeElement);
    const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  });

  // A wide screen shows the first result at once.
  function open_first() {
    const first = document.querySelector("a[data-into][data-nth='1']");
    if (first && wide()) show(first);
  }
  open_first();
  for (const text of document.querySelectorAll(".scroll")) centre(text);

  // A narrow screen scrolls to the current part.
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 40;
})();
