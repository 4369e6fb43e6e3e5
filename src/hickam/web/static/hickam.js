// Hickam's page works without this file; with it, pages update in place and search answers as you type.
"use strict";
(() => {
  document.documentElement.classList.add("js");
  const status = () => document.getElementById("status");
  const latest = {};

  // Where addresses must not tell the case, its query is kept in the fragment and sent in a body.
  const hidden = "hidden" in document.documentElement.dataset;
  const kept = (address) => {
    const url = new URL(address, location.href);
    if (hidden && url.search) { url.hash = url.search; url.search = ""; }
    return url.href;
  };
  const held = (url) => (hidden && url.hash.startsWith("#?") ? url.hash.slice(2) : "");
  const ask = (address) => {
    const url = new URL(kept(address));
    const headers = { Accept: "text/html" };
    if (!held(url)) return fetch(url, { headers });
    headers["Content-Type"] = "application/x-www-form-urlencoded";
    return fetch(url.pathname, { method: "POST", headers, body: `_=&${held(url)}` });
  };
  const asLinks = (page) => {
    for (const button of page.querySelectorAll("button[form=go]:not([data-file])")) {
      const link = page.createElement("a");
      for (const { name, value } of button.attributes) link.setAttribute(name, value);
      for (const name of ["form", "formaction", "name", "value"]) link.removeAttribute(name);
      link.classList.remove("link");
      link.href = `${button.getAttribute("formaction")}#?${button.value}`;
      link.append(...button.childNodes);
      button.replaceWith(link);
    }
    return page;
  };

  // The page at an address, or null when a later request of the same kind has overtaken this one.
  const read = async (address, kind) => {
    const mine = (latest[kind] = (latest[kind] || 0) + 1);
    const answer = await ask(address);
    const page = asLinks(new DOMParser().parseFromString(await answer.text(), "text/html"));
    return mine === latest[kind] ? page : null;
  };

  const ASKING = "#question, #next";

  // Where the user is: what has the focus, and the part of the page around it.
  const describe = (element) => {
    if (!element || element === document.body) return null;
    const list = element.closest(".matches")?.parentElement;
    const form = list && document.querySelector(`form[data-into="${list.id}"]`);
    const around = element.closest("section[id], details[id]");
    return {
      id: element.id || (form ? form.querySelector("input[type=search]").id : ""),
      label: element.getAttribute("aria-label"),
      asking: element.matches(".answers a, .measured *, .undo a") ? element.closest(ASKING)?.id : "",
      around: around?.id,
      top: around?.getBoundingClientRect().top,
    };
  };

  // From an answer, the focus goes to the next question, where Enter does nothing; otherwise it stays
  // where it was.
  const refocus = (was) => {
    if (!was) return;
    const asked = was.asking && document.getElementById(was.asking);
    const next = asked && asked.querySelector("[data-asked]");
    const same = was.label && [...document.querySelectorAll("[aria-label]")].find((e) => e.getAttribute("aria-label") === was.label);
    const found = next || (was.id && document.getElementById(was.id)) || same || document.getElementById("q") || document.querySelector("main");
    found.focus({ preventScroll: true });
  };

  // What is above may have grown or shrunk: the part that was clicked in stays under the pointer.
  const keepPlace = (was, scroll) => {
    window.scrollTo(0, scroll);
    const part = was?.around && document.getElementById(was.around);
    if (part && part.getBoundingClientRect().top !== was.top) window.scrollBy(0, part.getBoundingClientRect().top - was.top);
  };

  // What is folded open stays open.
  const foldsOf = (part) => new Map([...part.querySelectorAll("details[id]")].map((d) => [d.id, d.open]));
  const fold = (part, folds) => {
    for (const each of part.querySelectorAll("details[id]")) if (folds.has(each.id)) each.open = folds.get(each.id);
  };

  const show = (page, address, push) => {
    const was = describe(document.activeElement);
    const folds = foldsOf(document);
    const samePage = new URL(address, location.href).pathname === shownPath;
    const scroll = samePage ? window.scrollY : 0;
    for (const waiting of page.querySelectorAll("[data-load]")) { // what it showed stays until the new comes
      const shown = document.getElementById(waiting.id);
      if (shown) { waiting.replaceChildren(...shown.childNodes); waiting.inert = true; }
    }
    document.querySelector("main").replaceWith(page.querySelector("main"));
    document.querySelector("body > header").replaceWith(page.querySelector("body > header"));
    document.title = page.title;
    if (push) history.pushState(null, "", kept(address));
    shownPath = location.pathname;
    if (samePage) fold(document, folds);
    keepPlace(was, scroll);
    refocus(was);
    load(was);
    const question = document.querySelector("#question h2");
    const first = document.querySelector(".slope ol.right li .name");
    const heard = question && question === document.activeElement; // the focus says it
    status().textContent = heard ? "" : question ? question.textContent : first ? `Updated. ${first.textContent} explains most.` : "Updated.";
  };
  let shownPath = location.pathname;

  // Parts that take longer are loaded after the page is shown, those of one address together.
  const load = async (was) => {
    const waiting = [...document.querySelectorAll("[data-load]")];
    const addresses = new Set(waiting.map((part) => part.dataset.load));
    for (const address of addresses) {
      const parts = waiting.filter((part) => part.dataset.load === address);
      for (const part of parts) delete part.dataset.load;
      const page = await read(address, "part").catch(() => new Document());
      if (page) for (const part of parts) if (part.isConnected) fill(part, page, was);
    }
  };

  // Where a part cannot be had, what is wrong stands in its place.
  const fill = (part, page, was) => {
    const fresh = page.getElementById(part.id) || page.querySelector("[role=alert]");
    if (!fresh) { part.remove(); return; }
    const folds = foldsOf(part);
    const held = document.querySelector("main section:is(:hover, :focus-within)"); // it stays in place
    const top = held?.getBoundingClientRect().top;
    part.replaceWith(fresh);
    fold(fresh, folds);
    if (held?.isConnected) window.scrollBy(0, held.getBoundingClientRect().top - top);
    if (was?.asking === part.id) refocus(was);
  };

  const go = async (address, push = true) => {
    const main = document.querySelector("main");
    main.setAttribute("aria-busy", "true");
    try {
      const page = await read(address, "page");
      if (page && page.querySelector("main")) show(page, address, push);
      else if (page) location.href = kept(address);
    } catch {
      location.href = kept(address);
    } finally {
      main.removeAttribute("aria-busy");
    }
  };

  // The clipboard needs a secure address; elsewhere the text is selected for the user to copy.
  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = status().textContent = "Copied";
    } catch {
      document.getElementById("note")?.select();
      status().textContent = "Press Ctrl + C to copy.";
    }
  };

  const here = (url) => url.origin === location.origin && url.pathname === location.pathname;

  document.addEventListener("click", (event) => {
    const action = event.target.closest("[data-action]")?.dataset.action;
    if (action === "print") window.print();
    if (action === "copy") copy(event.target, location.href);
    if (action === "copy-note") copy(event.target, document.getElementById("note").value);
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const url = new URL(link.href);
    if (held(url)) { event.preventDefault(); go(url.href); return; }
    if (url.hash) {
      const target = document.getElementById(url.hash.slice(1));
      if (target instanceof HTMLDetailsElement) target.open = true;
      if (hidden || target?.matches("input, select")) { event.preventDefault(); target?.focus(); }
      if (hidden) target?.scrollIntoView(); // the fragment holds the case
      return;
    }
    if (!here(url) || link.closest("body > header")) return;
    event.preventDefault();
    go(url.href);
  });

  const address = (form) => {
    const url = new URL(form.getAttribute("action"), location.href);
    url.search = "";
    for (const [key, value] of new FormData(form)) if (value) url.searchParams.append(key, value);
    return url.href;
  };

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form.auto");
    if (form && form.reportValidity()) go(address(form));
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "get" && !form.elements._) return;
    event.preventDefault();
    if (form.matches(".search")) choose(form, 0); else go(address(form));
  });

  // Type-ahead: the server renders the matches, the page puts them in place.
  const into = (form) => document.getElementById(form.dataset.into);
  const box = (form) => form.querySelector("input[type=search]");

  const choose = async (form, which) => {
    clearTimeout(timer);
    await seek(form);
    const first = into(form).querySelector("li");
    const link = first?.querySelectorAll("a")[which];
    if (!link) return;
    if ("certain" in first.dataset) { box(form).value = ""; go(link.href); return; }
    // What was typed may mean something else: say so, and let a second Enter take the first choice.
    const name = first.querySelector(".match-name").textContent.trim();
    link.focus();
    status().textContent = `Did you mean ${name}? Enter adds it, arrow keys show the others.`;
  };

  let timer = 0;
  document.addEventListener("input", (event) => {
    if (event.target.closest("form.search")) {
      clearTimeout(timer);
      timer = setTimeout(() => seek(event.target.form), 90);
    }
    if (event.target.id === "g") {
      document.getElementById("dial-value").textContent = event.target.dataset.words.split("|")[event.target.value];
    }
  });

  const seek = async (form) => {
    const page = await read(form.dataset.matches + new URL(address(form)).search, "matches");
    if (!page) return;
    const fresh = page.getElementById(form.dataset.into);
    if (fresh) into(form).replaceWith(fresh);
    const count = into(form).querySelectorAll("li").length;
    status().textContent = box(form).value ? `${count} ${count === 1 ? "match" : "matches"}` : "";
  };

  // From a question to its answers, and from one answer to the next.
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const around = by && event.target.matches("[data-asked], .answers a") && event.target.closest("#question, .questions li");
    if (!around) return false;
    const stops = [...around.querySelectorAll("[data-asked], .answers a")];
    const next = stops[stops.indexOf(event.target) + by];
    if (next) { event.preventDefault(); next.focus(); }
    return Boolean(next);
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input, select, textarea")) {
      const first = document.querySelector("form.search input[type=search]");
      if (first) { event.preventDefault(); first.focus(); }
    }
    const plain = !event.target.matches("input, select, textarea") && !event.ctrlKey && !event.metaKey && !event.altKey;
    const answer = plain && event.key.length === 1 && document.querySelector(`#question [data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (answer) { event.preventDefault(); answer.focus({ preventScroll: true }); answer.click(); return; }
    if (plain && step(event)) return;
    const list = event.target.closest?.(".matches")?.parentElement;
    const form = event.target.closest?.("form.search") || (list && document.querySelector(`form[data-into="${list.id}"]`));
    if (!form) return;
    const field = box(form);
    if (event.target === field && event.key === "Enter" && event.shiftKey) { event.preventDefault(); choose(form, 1); }
    const asked = document.querySelector("[data-asked]");
    if (event.target === field && !field.value && asked && ["Enter", "Escape"].includes(event.key)) {
      event.preventDefault(); // nothing more to add: on to the question
      asked.focus();
      return;
    }
    if (event.target === field && event.key === "Escape") { field.value = ""; seek(form); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const stops = [field, ...into(form).querySelectorAll("li a:first-child")];
      const row = event.target.closest(".matches li")?.querySelector("a");
      const at = stops.indexOf(row || field) + (event.key === "ArrowDown" ? 1 : -1);
      if (stops[at]) { event.preventDefault(); stops[at].focus(); }
    }
  });

  // Pointing at a disease follows it through both rankings.
  const follow = (event) => {
    const disease = event.target.closest?.("[data-disease]")?.dataset.disease;
    for (const each of document.querySelectorAll(".slope [data-disease]")) {
      each.classList.toggle("followed", Boolean(disease) && each.dataset.disease === disease);
    }
  };
  document.addEventListener("pointerover", follow);
  document.addEventListener("focusin", follow);

  asLinks(document);
  if (held(location)) go(location.href, false); else load();
  window.addEventListener("popstate", () => go(location.href, false));
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.candidate").forEach((d) => { d.open = true; }));
})();
