// Completion while a statement is typed, and Ctrl+Enter to run it.
"use strict";

(() => {
  const box = document.querySelector("textarea[data-words]");
  const list = document.getElementById("sql-words");
  if (!box || !list) return;
  let offered = [];
  let chosen = -1;
  let asked = 0;

  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-autocomplete", "list");

  function close() {
    offered = [];
    chosen = -1;
    list.hidden = true;
    box.removeAttribute("aria-activedescendant");
  }

  function show(names) {
    offered = names;
    chosen = -1;
    list.replaceChildren(...names.map(([text, , kind], place) => {
      const item = document.createElement("li");
      const about = document.createElement("span");
      item.id = `sql-word-${place}`;
      item.role = "option";
      item.textContent = text;
      about.textContent = kind;
      item.append(" ", about);
      item.addEventListener("mousedown", (event) => { event.preventDefault(); take(place); });
      return item;
    }));
    list.hidden = !names.length;
  }

  function choose(place) {
    chosen = (place + offered.length) % offered.length;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", at === chosen));
    list.children[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", list.children[chosen].id);
  }

  function take(place) {
    const [text, replaces] = offered[place];
    const end = box.selectionStart;
    box.setRangeText(text, end - replaces, end, "end");
    close();
    box.focus();
  }

  async function offer() {
    const number = ++asked;
    const before = box.value.slice(0, box.selectionStart);
    if (!/[\w."']$/.test(before) && !/\b(from|join)\s+$/i.test(before)) { close(); return; }
    try {
      const answer = await fetch(`${box.dataset.words}?q=${encodeURIComponent(before)}`);
      if (answer.ok && number === asked) show(await answer.json());
    } catch {
      close(); // The window has stopped; running the statement reports that.
    }
  }

  box.addEventListener("input", offer);
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      box.form.requestSubmit();
    } else if (list.hidden) {
      return;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1));
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
  });
})();
