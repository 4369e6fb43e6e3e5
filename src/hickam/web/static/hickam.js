// Hickam's page works without this file; with it, pages update in place and search answers as you type.
"use strict";
(() => {
  document.documentElement.classList.add("js");
  const status = () => document.getElementById("status");
  const latest = {};

  // The page at an address, or null when a later request of the same kind has overtaken this one.
  const read = async (address, kind) => {
    const mine = (latest[kind] = (latest[kind] || 0) + 1);
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return mine === latest[kind] ? page : null;
  };

  const describe = (element) => {
    if (!element || element === document.body) return null;
    return { id: element.id, label: element.getAttribute("aria-label"), href: element.getAttribute("href"), text: element.textContent };
  };

  const refocus = (was) => {
    if (!was) return;
    const found = (was.id && document.getElementById(was.id)) || document.getElementById("q");
    if (found) found.focus({ preventScroll: true });
  };

  const show = (page, address, push) => {
    const was = describe(document.activeElement);
    const open = new Set([...document.querySelectorAll("details[open]")].map((d) => d.id));
    const scroll = window.scrollY;
    document.querySelector("main").replaceWith(page.querySelector("main"));
    document.querySelector("header.top").replaceWith(page.querySelector("header.top"));
    document.title = page.title;
    if (push) history.pushState(null, "", address);
    if (open.has("options")) document.getElementById("options")?.setAttribute("open", "");
    window.scrollTo(0, scroll);
    refocus(was);
    const first = document.querySelector(".slope ol.right li .name");
    status().textContent = first ? `Updated. ${first.textContent} explains most.` : "Updated.";
  };

  const go = async (address, push = true) => {
    const main = document.querySelector("main");
    main.setAttribute("aria-busy", "true");
    try {
      const page = await read(address, "page");
      if (page && page.querySelector("main")) show(page, address, push);
      else if (page) location.href = address;
    } catch {
      location.href = address;
    } finally {
      main.removeAttribute("aria-busy");
    }
  };

  const here = (url) => url.origin === location.origin && url.pathname === location.pathname;

  document.addEventListener("click", (event) => {
    const action = event.target.closest("[data-action]")?.dataset.action;
    if (action === "print") window.print();
    if (action === "copy") {
      navigator.clipboard?.writeText(location.href).then(() => { status().textContent = "The link is copied."; event.target.textContent = "Copied"; });
    }
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const url = new URL(link.href);
    if (url.hash) {
      const target = document.getElementById(url.hash.slice(1));
      if (target instanceof HTMLDetailsElement) target.open = true;
      return;
    }
    if (!here(url) || link.closest("header.top")) return;
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
    if (form.method !== "get") return;
    event.preventDefault();
    if (form.matches(".search")) choose(0); else go(address(form));
  });

  // Type-ahead: the server renders the matches, the page puts them in place.
  const choose = (which) => {
    const first = document.querySelectorAll("#matches li:first-child a")[which];
    if (first) { document.getElementById("q").value = ""; go(first.href); }
  };

  let timer = 0;
  document.addEventListener("input", (event) => {
    if (event.target.id === "q") {
      clearTimeout(timer);
      timer = setTimeout(() => seek(event.target.form), 90);
    }
    if (event.target.id === "g") {
      const gamma = 10 ** (-0.4 * (10 - event.target.value));
      const words = event.target.value === "10" ? "γ = 1: the network as it is." : `Each disease counts γ = ${gamma.toPrecision(2)} times.`;
      document.getElementById("dial-value").textContent = words;
    }
  });

  const seek = async (form) => {
    const page = await read(form.dataset.matches + new URL(address(form)).search, "matches");
    if (!page) return;
    const fresh = page.getElementById("matches");
    if (fresh) document.getElementById("matches").replaceWith(fresh);
    const count = document.querySelectorAll("#matches li").length;
    status().textContent = form.q.value ? `${count} ${count === 1 ? "match" : "matches"}` : "";
  };

  document.addEventListener("keydown", (event) => {
    const box = document.getElementById("q");
    if (!box) return;
    if (event.key === "/" && !event.target.matches("input, select, textarea")) {
      event.preventDefault();
      box.focus();
    }
    if (event.target === box && event.key === "Enter" && event.shiftKey) { event.preventDefault(); choose(1); }
    if (event.key === "Escape" && event.target === box) { box.value = ""; seek(box.form); }
    const inside = event.target === box || event.target.closest?.("#matches");
    if (inside && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const stops = [box, ...document.querySelectorAll("#matches li a:first-child")];
      const row = event.target.closest?.("#matches li")?.querySelector("a");
      const at = stops.indexOf(row || box) + (event.key === "ArrowDown" ? 1 : -1);
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

  window.addEventListener("popstate", () => go(location.href, false));
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.candidate").forEach((d) => { d.open = true; }));
})();
