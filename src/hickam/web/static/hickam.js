// Hickam's page works without this file; with it, the parts of a page are put in place as the case
// changes, and what is being typed is not touched.
"use strict";
(() => {
  document.documentElement.classList.add("js");
  const say = (words) => { document.getElementById("status").textContent = words; };

  // --- Addresses: where they must not tell the case, its query is in the fragment ---

  const hidden = "hidden" in document.documentElement.dataset;
  const bare = (address) => {
    const url = new URL(address, location.href);
    if (hidden && url.hash.startsWith("#?")) url.search = url.hash.slice(1);
    url.hash = "";
    return url.href;
  };
  const kept = (address) => {
    const url = new URL(address, location.href);
    if (hidden && url.search) { url.hash = url.search; url.search = ""; }
    return url.href;
  };

  // Without script a link that would tell the case is a button, which sends it in a body.
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

  // --- Asking the service ---

  const request = (address, signal) => {
    const url = new URL(address, location.href);
    const headers = { Accept: "text/html" };
    if (!hidden || !url.search) return fetch(url, { headers, signal });
    headers["Content-Type"] = "application/x-www-form-urlencoded";
    return fetch(url.pathname, { method: "POST", headers, signal, body: `_=&${url.search.slice(1)}` });
  };

  const BUSY = [429, 502, 503, 504];
  const LONGEST_WAIT = 30; // seconds between two tries, if the service does not say

  // While any request is tried again, why: the case is in the address and in what is queued.
  const troubles = new Map();
  const trouble = (request, words) => {
    if (words) troubles.set(request, words); else troubles.delete(request);
    const line = document.getElementById("trouble");
    const said = [...troubles.values()].at(-1) || "";
    if (line.textContent !== said) line.textContent = said; // or it would be read out again
    line.hidden = !said;
  };

  const pause = (seconds, signal) => new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });

  // The page at an address, asked for again while the service is busy or out of reach; null once
  // nobody waits for it any more.
  const ask = async (address, signal) => {
    try {
      for (let wait = 1; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT)) {
        let what = "cannot be reached";
        let after = wait;
        try {
          const answer = await request(address, signal);
          if (!BUSY.includes(answer.status)) return asLinks(new DOMParser().parseFromString(await answer.text(), "text/html"));
          what = "is busy";
          after = Number(answer.headers.get("Retry-After")) || wait;
        } catch { /* out of reach, or not wanted any more */ }
        if (!signal.aborted) trouble(signal, `The service ${what}. Nothing is lost: it is asked again in ${after} s.`);
        await pause(after, signal);
      }
      return null;
    } finally {
      trouble(signal);
    }
  };

  // --- The case: its address runs ahead of the page that is shown ---

  let now = bare(location.href); // the case as entered so far
  let shown = location.href.split("#")[0]; // the case that the page shows
  let asking = new AbortController();
  let turn = Promise.resolve();
  let pending = 0; // jobs that are not done
  const changed = new Map(); // link's or form's surroundings → what was last chosen in them

  // Jobs one after the other, whatever becomes of each.
  const inTurn = (job) => {
    pending += 1;
    const run = async () => { try { await job(); } finally { pending -= 1; } };
    turn = turn.then(run, run);
  };

  // An address that changes one case, as an address that changes another in the same way.
  const moved = (address, from, to) => {
    const [wanted, was, is] = [address, from, to].map((each) => new URL(each, location.href));
    if (was.search === is.search) return wanted.href;
    const pairs = (url) => [...url.searchParams].map((pair) => String(new URLSearchParams([pair])));
    const [after, before, held] = [wanted, was, is].map(pairs);
    const kept = held.filter((pair) => !pair.startsWith("w=") && (after.includes(pair) || !before.includes(pair)));
    const added = after.filter((pair) => !before.includes(pair) && !kept.includes(pair));
    wanted.search = [...kept, ...added].join("&");
    return wanted.href;
  };

  // Makes a change that was offered for the case `from`; `within` is what offers other choices.
  const change = (address, from = shown, within = null) => {
    const next = moved(address, changed.get(within) || from, now);
    if (within) changed.set(within, address);
    if (next === now) return;
    if (new URL(next).pathname !== location.pathname) { now = next; leave(next); return; }
    history.pushState(null, "", kept(next));
    go(next);
  };

  const go = async (address) => {
    now = address;
    asking.abort();
    trouble(asking.signal);
    const { signal } = asking = new AbortController();
    const main = document.querySelector("main");
    main.setAttribute("aria-busy", "true");
    const page = await ask(address, signal);
    if (!page) return;
    main.removeAttribute("aria-busy");
    if (page.querySelector("main")) show(page, signal);
    else trouble(signal, "The service could not show this. Nothing is lost: change the case, or load the page again.");
  };

  // Another page, once all that was entered is in its address.
  const leave = (address) => { const from = now; inTurn(() => { location.href = kept(moved(address, from, now)); }); };

  window.hickam = { address: () => now, ask, change, inTurn, say };

  // --- Putting parts in place ---

  // What stays: the entry, and a field that is being typed in.
  const staying = (fresh) => [...document.querySelectorAll("main [data-kept], main :is(input, textarea):focus")]
    .map((old) => [old, old.id && fresh.querySelector(`#${CSS.escape(old.id)}`)])
    .filter(([old, twin]) => twin && twin.name === old.name);

  const childWith = (parent, node) => [...parent.childNodes].find((child) => child.contains(node));

  // Puts a fresh element in the place of an old one, around the pairs that stay.
  const renew = (old, fresh, pairs) => {
    const inside = pairs.filter(([kept, twin]) => old.contains(kept) && fresh.contains(twin));
    if (!inside.length) { old.replaceWith(fresh); return; }
    const [kept, twin] = inside[0];
    if (old === kept) {
      if (!old.matches("[data-kept]") && old.value === old.defaultValue) old.value = twin.value;
      if (!old.matches("[data-kept]")) old.defaultValue = twin.defaultValue;
      return;
    }
    for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
    const ways = new Map(inside.map((pair) => [childWith(fresh, pair[1]), childWith(old, pair[0])]));
    const stays = new Set(ways.values());
    for (const child of [...old.childNodes]) if (!stays.has(child)) child.remove();
    let at = old.firstChild;
    for (const child of [...fresh.childNodes]) {
      const way = ways.get(child);
      if (way) { at = way.nextSibling; renew(way, child, inside); } else old.insertBefore(child, at);
    }
  };

  const ASKING = "#question, #next";

  // Where the user is: what has the focus, and the part of the page around it.
  const describe = (element) => {
    if (!element || element === document.body) return null;
    const around = element.closest("section[id], details[id]");
    return {
      id: element.id,
      label: element.getAttribute("aria-label"),
      asking: element.matches(".answers a, .measured *, .undo a") ? element.closest(ASKING)?.id : "",
      around: around?.id,
      top: around?.getBoundingClientRect().top,
    };
  };

  // Where what had the focus is gone: from an answer to the next question, where Enter does
  // nothing; otherwise to its like.
  const refocus = (was) => {
    if (!was || document.activeElement !== document.body) return;
    const next = was.asking && document.getElementById(was.asking)?.querySelector("[data-asked]");
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

  const show = (page, signal) => {
    const was = describe(document.activeElement);
    const folds = foldsOf(document);
    const scroll = window.scrollY;
    for (const waiting of page.querySelectorAll("[data-load]")) { // what it showed stays until the new comes
      const before = document.getElementById(waiting.id);
      if (before) { waiting.replaceChildren(...before.childNodes); waiting.inert = true; }
    }
    const main = page.querySelector("main");
    renew(document.querySelector("main"), main, staying(main));
    document.querySelector("body > header").replaceWith(page.querySelector("body > header"));
    document.title = page.title;
    shown = now;
    changed.clear();
    fold(document, folds);
    keepPlace(was, scroll);
    refocus(was);
    load(was, signal);
    const question = document.querySelector("#question h2");
    const first = document.querySelector(".slope ol.right li .name");
    const heard = question && question === document.activeElement; // the focus says it
    say(heard ? "" : question ? question.textContent : first ? `Updated. ${first.textContent} explains most.` : "Updated.");
  };

  // Parts that take longer are loaded after the page is shown, those of one address together.
  const load = async (was, signal) => {
    const waiting = [...document.querySelectorAll("[data-load]")];
    const addresses = new Set(waiting.map((part) => part.dataset.load));
    for (const address of addresses) {
      const parts = waiting.filter((part) => part.dataset.load === address);
      for (const part of parts) delete part.dataset.load;
      const page = await ask(address, signal);
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

  // --- What a user does ---

  // The clipboard needs a secure address; elsewhere the text is selected for the user to copy.
  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      say("Copied");
    } catch {
      document.getElementById("note")?.select();
      say("Press Ctrl + C to copy.");
    }
  };

  const anew = (address) => {
    document.dispatchEvent(new Event("hickam:new"));
    if (address !== now) history.pushState(null, "", kept(address));
    go(address);
  };

  document.addEventListener("click", (event) => {
    const action = event.target.closest("[data-action]")?.dataset.action;
    if (action === "print") window.print();
    if (action === "copy") copy(event.target, location.href);
    if (action === "copy-note") copy(event.target, document.getElementById("note").value);
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.hash && !link.hash.startsWith("#?")) {
      const target = document.getElementById(link.hash.slice(1));
      if (target instanceof HTMLDetailsElement) target.open = true;
      if (hidden || target?.matches("input, select")) { event.preventDefault(); target?.focus(); }
      if (hidden) target?.scrollIntoView(); // the fragment holds the case
      return;
    }
    const url = new URL(bare(link.href));
    if (url.origin !== location.origin) return;
    const base = link.closest("[data-base] :is(.choice, .several)")?.closest("[data-base]").dataset.base;
    const here = url.pathname === location.pathname && !link.closest("body > header");
    if (here || base) {
      event.preventDefault();
      if (link.matches("[data-new]")) anew(url.href);
      else change(url.href, base, link.closest("li, .answers, .switch"));
    } else if ((pending || now !== shown) && !link.matches("[data-new]")) {
      event.preventDefault();
      leave(moved(url.href, shown, now));
    }
  });

  const address = (form) => {
    const url = new URL(form.getAttribute("action"), location.href);
    url.search = "";
    for (const [key, value] of new FormData(form)) if (value) url.searchParams.append(key, value);
    return url.href;
  };

  const send = (form) => {
    if (form.matches("[data-new]")) anew(address(form)); else change(address(form), shown, form);
  };

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form.auto");
    if (form && form.reportValidity()) send(form);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const told = form.method === "get" || (form.elements._ && form.id !== "go");
    if (!told || form.closest("[data-entry]")) return;
    event.preventDefault();
    send(form);
  });

  document.addEventListener("input", (event) => {
    if (event.target.id === "g") {
      document.getElementById("dial-value").textContent = event.target.dataset.words.split("|")[event.target.value];
    }
  });

  // From a question to its answers, and from one answer to the next.
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const around = by && event.target.matches("[data-asked], .answers a") && event.target.closest("#question, .questions li");
    if (!around) return;
    const stops = [...around.querySelectorAll("[data-asked], .answers a")];
    const next = stops[stops.indexOf(event.target) + by];
    if (next) { event.preventDefault(); next.focus(); }
  };

  // A letter answers the question that has the focus, and no other.
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) return;
    const field = key === "/" && document.querySelector("[data-entry] input[type=search]");
    const asked = key.length === 1 && target.closest("#question");
    const answer = asked && asked.querySelector(`[data-key="${CSS.escape(key.toLowerCase())}"]`);
    if (field) { event.preventDefault(); field.focus(); }
    if (answer && !event.repeat && now === shown) { event.preventDefault(); answer.focus({ preventScroll: true }); answer.click(); }
    step(event);
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

  window.addEventListener("popstate", () => {
    const back = bare(location.href);
    if (back === now) return; // only the part of the page that is looked at
    changed.clear();
    go(back);
  });
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.candidate").forEach((d) => { d.open = true; }));

  asLinks(document);
  if (now === shown) load(null, asking.signal); else go(now);
  if (document.activeElement === document.body && !location.hash) {
    document.querySelector("#question [data-asked]")?.focus({ preventScroll: true });
  }
})();
