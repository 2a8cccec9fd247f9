"use strict";
// Brings the page up to date as events come: what has not changed stays as it is, so that what is
// selected, scrolled, opened or zoomed stays so.
(function () {
  const bar = document.getElementById("live");
  const state = document.getElementById("state");
  const age = document.getElementById("age");
  const share = document.getElementById("share");
  const stop = document.getElementById("stop");
  const main = document.querySelector("main");
  const SURE_MS = 5000;
  // News comes once a second. The age is counted here: a source that hangs cannot tell it.
  const LATE_S = 3;
  const LOST_S = 10;
  let newest = performance.now();
  let asked = null;
  let stopping = bar.dataset.stopping !== "";

  const chartOf = (section) => section.querySelector(".chart");
  const sameCharts = (a, b) => {
    const [ours, theirs] = [a, b].map((one) =>
      [...one.querySelectorAll(".chart")].map((chart) => chart.id).join());
    return ours === theirs;
  };

  // A section whose charts stay: their pictures are replaced, and what is hidden or zoomed stays so.
  function redrawn(next) {
    for (const chart of next.querySelectorAll(".chart")) {
      const parts = [...document.importNode(chart, true).childNodes];
      document.getElementById(chart.id).replaceChildren(...parts);
    }
  }

  function show(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").body;
    const before = [...main.children];
    const next = [...fresh.children];
    const named = new Map(before.filter((one) => one.id).map((one) => [one.id, one]));
    next.forEach((one, place) => {
      let ours = one.id ? named.get(one.id) : before[place];
      if (ours && ours.id !== one.id) ours = undefined;
      if (ours && ours.isConnected && chartOf(one) && sameCharts(ours, one)) {
        redrawn(one);
      } else if (!ours || !ours.isConnected || ours.source !== one.outerHTML) {
        const made = document.importNode(one, true);
        made.source = one.outerHTML;
        if (ours && ours.isConnected) ours.replaceWith(made);
        else main.append(made);
        ours = made;
      }
      if (main.children[place] !== ours) main.insertBefore(ours, main.children[place] || null);
    });
    while (main.children.length > next.length) main.lastElementChild.remove();
    document.dispatchEvent(new Event("figures"));
  }

  // What a reader of the screen hears changes only with the state; seconds are shown beside it.
  function tell() {
    const old = Math.floor((performance.now() - newest) / 1000);
    const words = old >= LOST_S ? "No news: it is over, or cannot be reached. Trying again."
      : stopping ? "Stopping: the result so far will be kept." : old >= LATE_S ? "No news." : "Live.";
    if (state.textContent !== words) state.textContent = words;
    age.textContent = `Updated ${old} s ago.`;
    bar.classList.toggle("lost", old >= LATE_S);
    main.classList.toggle("old", old >= LOST_S);
    stop.disabled = stopping;
  }

  function progress(known) {
    share.hidden = known === null;
    if (known !== null) share.value = known;
  }

  const events = new EventSource("events");
  events.onmessage = (event) => {
    const news = JSON.parse(event.data);
    if (news.over) {
      events.close();
      location.reload();
      return;
    }
    if (news.stopping && !stopping) { // by another who looks on
      stopping = true;
      tell();
    }
    newest = performance.now();
    progress(news.share);
    show(news.main);
    document.title = news.title;
    tell();
  };

  stop.addEventListener("click", () => {
    if (asked === null) {
      stop.textContent = "Stop for good?";
      asked = setTimeout(() => {
        asked = null;
        stop.textContent = "Stop";
      }, SURE_MS);
      return;
    }
    clearTimeout(asked);
    asked = null;
    stop.textContent = "Stop";
    stopping = true; // said at once: an answer may take its time
    tell();
    fetch("stop", { method: "POST" }).then((answer) => {
      stopping = answer.ok;
      tell();
    }, () => {
      stopping = false;
      tell();
    });
  });
  stop.hidden = false;
  setInterval(tell, 1000);
  progress(bar.dataset.share === "" ? null : Number(bar.dataset.share));
  tell();
})();
