// The entry: what is typed is queued, looked up one after the other, and added or asked about.
//
// It knows its own parts and nothing of the page around them:
//
//   [data-entry="/address"]     the entry, and the search that it asks
//     input[type=search]        the field
//     [data-entered] template   the list of what is entered and not yet settled, and a line of it
//     [data-found]              what the text in the field may mean, as the search answers
//
// An answer's data-said and data-opposite are the addresses of the case with all that is sure in
// it, for Enter and Shift + Enter. Each [data-asks] in it is a text that a person must settle.
"use strict";
(() => {
  const { address, ask, change, inTurn, say } = window.hickam;
  const PAUSE = 200; // milliseconds without a key, before the search is asked
  const BOUNCE = 400; // milliseconds in which a second Enter, no key between, is the first once more
  const entryOf = (node) => node.closest?.("[data-entry]");
  const fieldOf = (entry) => entry.querySelector("input[type=search]");
  const foundOf = (entry) => entry.querySelector("[data-found]");
  const linesOf = (entry) => [...entry.querySelectorAll("[data-entered] > li")];

  const asks = (entry, text, from) => {
    const url = new URL(entry.dataset.entry, location.href);
    url.search = new URL(from).search;
    url.searchParams.set(fieldOf(entry).name, text);
    url.searchParams.set("at", location.pathname);
    return url.href;
  };

  // While typing: what the text may mean. A later key makes the answer to an earlier one useless.
  let typing = new AbortController();
  const quiet = () => { typing.abort(); typing = new AbortController(); return typing.signal; };

  const seek = async (entry, signal) => {
    const from = address();
    const text = fieldOf(entry).value.trim();
    await new Promise((resolve) => { setTimeout(resolve, text ? PAUSE : 0); });
    const page = text && !signal.aborted && await ask(asks(entry, text, from), signal);
    if (signal.aborted) return;
    const fresh = page && page.querySelector("[data-found]");
    foundOf(entry).replaceChildren(...(fresh ? fresh.childNodes : []));
    foundOf(entry).dataset.base = from;
    const count = foundOf(entry).querySelectorAll("li").length;
    say(text ? `${count} ${count === 1 ? "match" : "matches"}` : "");
  };

  const empty = (entry) => {
    fieldOf(entry).value = "";
    seek(entry, quiet());
  };

  // A line stands for a text until that is added, settled or taken back.
  const lookups = new WeakMap();
  const addLine = (entry, text, before = null) => {
    const list = entry.querySelector("[data-entered]");
    const line = list.querySelector("template").content.firstElementChild.cloneNode(true);
    line.querySelector("[data-said]").textContent = text;
    lookups.set(line, new AbortController());
    list.insertBefore(line, before);
    return line;
  };
  const drop = (line) => { lookups.get(line).abort(); line.remove(); };
  const answerTo = (line, ...nodes) => line.querySelector("[data-answer]").replaceChildren(...nodes);

  const enter = (entry, way) => {
    const text = fieldOf(entry).value.trim();
    if (!text) return;
    const line = addLine(entry, text);
    empty(entry);
    inTurn(() => settle(entry, line, text, way));
  };

  const settle = async (entry, line, text, way) => {
    const { signal } = lookups.get(line);
    const from = address();
    const page = !signal.aborted && await ask(asks(entry, text, from), signal);
    if (signal.aborted) return;
    const found = page.querySelector("[data-found]");
    if (!found) {
      line.dataset.base = from;
      answerTo(line, page.querySelector("[role=alert]") || "The service could not read this.");
      return;
    }
    const asked = [...found.querySelectorAll("[data-asks]")].map((part) => {
      const its = addLine(entry, part.dataset.asks, line);
      its.dataset.base = from;
      answerTo(its, ...part.childNodes);
      return its;
    });
    line.remove();
    if (found.dataset[way]) change(found.dataset[way], from);
    if (asked.length) offer(entry, asked[0]);
  };

  // Whoever goes on typing is left alone; otherwise a second Enter takes the first choice.
  const offer = (entry, line) => {
    const field = fieldOf(entry);
    const first = line.querySelector(".choice a");
    const name = first?.getAttribute("aria-label");
    say(name ? `Did you mean ${name}? Enter takes it.` : line.textContent);
    const last = linesOf(entry).at(-1) === line;
    if (!first || !last || document.activeElement !== field || field.value) return;
    first.focus({ preventScroll: true });
    line.scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("input", (event) => {
    const entry = entryOf(event.target);
    if (entry) seek(entry, quiet());
  });

  document.addEventListener("submit", (event) => {
    const entry = entryOf(event.target);
    if (!entry) return;
    event.preventDefault();
    enter(entry, "said");
  });

  // A list that is pasted has its lines one after the other in the field, not run together.
  document.addEventListener("paste", (event) => {
    const text = (event.clipboardData?.getData("text") || "").trim();
    if (!entryOf(event.target) || !/[\r\n\t]/.test(text)) return;
    event.preventDefault();
    const field = event.target;
    field.setRangeText(text.split(/\s*[\r\n\t]\s*/).join("; "), field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

  document.addEventListener("click", (event) => {
    const entry = entryOf(event.target);
    const line = event.target.closest("[data-entered] > li");
    const chosen = entry && event.defaultPrevented && event.target.closest(":is(.choice, .several) a");
    if (line && (chosen || event.target.closest("[data-edit], [data-dismiss]"))) {
      if (event.target.closest("[data-edit]")) {
        fieldOf(entry).value = line.querySelector("[data-said]").textContent;
        seek(entry, quiet());
      }
      drop(line);
    } else if (chosen) empty(entry);
    if (line || chosen) fieldOf(entry).focus({ preventScroll: true });
  });

  document.addEventListener("hickam:new", () => {
    for (const entry of document.querySelectorAll("[data-entry]")) {
      linesOf(entry).forEach(drop);
      empty(entry);
    }
  });

  // Where nothing is typed, Enter and Escape go on: to what is to be settled, or to the question.
  const onward = (entry) => {
    const unsettled = entry.querySelector("[data-entered] [data-base] :is(.choice a, button)");
    if (unsettled) unsettled.focus();
    else if (!linesOf(entry).length) document.querySelector("[data-asked]")?.focus();
  };
  let entered = -Infinity;

  const keys = {
    Enter: (event, entry, field) => {
      const again = event.repeat || event.timeStamp - entered < BOUNCE;
      entered = event.timeStamp;
      if (event.target.matches("button")) return;
      if (event.target === field && field.value.trim()) {
        if (event.shiftKey) { event.preventDefault(); enter(entry, "opposite"); }
      } else if (again || event.target === field) {
        event.preventDefault();
        if (!again) onward(entry);
      }
    },
    Escape: (event, entry, field) => {
      if (event.target !== field) field.focus();
      else if (field.value) { event.preventDefault(); empty(entry); }
      else onward(entry);
    },
    ArrowDown: (event, entry, field) => move(event, entry, field, 1),
    ArrowUp: (event, entry, field) => move(event, entry, field, -1),
  };

  const move = (event, entry, field, by) => {
    const stops = [field, ...entry.querySelectorAll(".several a, .choice a:first-child")];
    const row = event.target.closest(".choice, .several")?.querySelector("a");
    const next = stops[stops.indexOf(row || field) + by];
    if (next) { event.preventDefault(); next.focus(); }
  };

  // What is typed on beside the field goes into it.
  document.addEventListener("keydown", (event) => {
    const entry = entryOf(event.target);
    if (!entry || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = fieldOf(entry);
    if (!["Enter", "Shift"].includes(event.key)) entered = -Infinity;
    if (keys[event.key]) keys[event.key](event, entry, field);
    else if (event.target !== field && event.key !== " " && /^(.|Backspace|Dead|Process)$/u.test(event.key)) field.focus();
  });
})();
