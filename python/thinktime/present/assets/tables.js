"use strict";
// Tables leave the page as CSV or by a copy; long ones are sorted, filtered, and cut until a reader
// asks for the rest. A link opens the part that it names.
(function () {
  const SHOWN = 20;
  const FEW = 5; // rows that are not worth a button
  const UNITS = {
    ns: [1e-9, "s"], "µs": [1e-6, "s"], ms: [1e-3, "s"], s: [1, "s"], min: [60, "s"],
    h: [3600, "s"], B: [1, "B"], kB: [1e3, "B"], MB: [1e6, "B"], GB: [1e9, "B"],
  };
  const NUMBER = /^([+\u2212-]?[\d,]*\.?\d+) ?([^\d\s(±]*)(?: ± ([\d,]*\.?\d+) ?(\S*))?$/u;

  // The number of a cell in its base unit, and the half-width of its interval; null for words.
  function measured(text) {
    const found = NUMBER.exec(text);
    if (!found) return null;
    const [, digits, written, half, halfWritten] = found;
    const scaled = (number, [factor]) =>
      Number((Number(number.replaceAll(",", "").replace("\u2212", "-")) * factor).toPrecision(12));
    // The unit stands once, behind a half-width, if both have it.
    const name = written || halfWritten || "";
    const unit = UNITS[name] || [1, name];
    return {
      value: scaled(digits, unit), unit: unit[1],
      half: half === undefined ? null : scaled(half, UNITS[halfWritten] || unit),
    };
  }

  const plain = (text) => text.replace(/\s+/g, " ").trim();
  const main = (cell) => plain([...cell.childNodes].filter((one) => one.nodeName !== "SMALL")
    .map((one) => one.textContent).join(""));
  const below = (cell) => [...cell.querySelectorAll("small")].map((one) => plain(one.textContent))
    .join("; ");
  const known = (text) => text !== "" && text !== "—";

  // Each row with what belongs to it below.
  function rowsOf(table) {
    const rows = [];
    for (const body of table.tBodies) {
      let group = "";
      for (const row of body.rows) {
        if (row.className === "group") group = plain(row.textContent);
        else if (row.classList.contains("more")) rows.at(-1).more.push(row);
        else rows.push({ row, more: [], group, body });
      }
    }
    return rows;
  }

  // A table of texts: numbers without units, which their headings name.
  function textsOf(table) {
    const rows = rowsOf(table);
    const headings = [...table.tHead.rows[0].cells].map((one) => plain(one.textContent));
    const columns = [];
    if (rows.some((one) => one.group)) columns.push(["group", ...rows.map((one) => one.group)]);
    headings.forEach((heading, place) => {
      const cells = rows.map(({ row }) => row.cells[place]);
      const texts = cells.map(main);
      const numbers = place ? texts.map(measured) : [];
      const units = new Set(numbers.filter((_, n) => known(texts[n])).map((one) => one?.unit));
      if (units.size === 1 && !units.has(undefined)) {
        const [unit] = units;
        const name = unit ? `${heading} (${unit})` : heading;
        columns.push([name, ...numbers.map((one) => one ? String(one.value) : "")]);
        if (numbers.some((one) => one && one.half !== null)) {
          columns.push([`± ${name}`, ...numbers.map((one) => String(one?.half ?? ""))]);
        }
      } else {
        columns.push([heading, ...texts]);
      }
      const more = cells.map(below);
      if (more.some(known)) columns.push([`${heading}, remark`, ...more]);
    });
    return columns[0].map((_, n) => columns.map((column) => column[n]));
  }

  // A spreadsheet computes what begins with such a sign.
  const harmless = (text) => /^[=+@-]/.test(text) && isNaN(text) ? `'${text}` : text;
  const quoted = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const csvOf = (table) =>
    textsOf(table).map((row) => row.map(harmless).map(quoted).join(",") + "\r\n").join("");

  function save(table) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", csvOf(table)], { type: "text/csv" }));
    const part = table.closest("[id]")?.id || "table";
    link.download = `${table.dataset.name || part}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function copy(table, button) {
    const text = textsOf(table).map((row) => row.join("\t")).join("\n");
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without permission the old way is left.
      const area = document.createElement("textarea");
      area.value = text;
      button.after(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }

  function made(name, text, action) {
    const one = document.createElement(name);
    one.textContent = text;
    if (name === "button") one.type = "button";
    if (action) one.addEventListener("click", () => action(one));
    return one;
  }

  function shorten(table, tools) {
    const rows = rowsOf(table);
    const rest = made("button", "", () => { whole = true; show(); });
    const filter = made("input", "");
    let whole = false;
    filter.type = "search";
    filter.placeholder = "Filter";
    filter.setAttribute("aria-label", "Show rows that have these letters");
    function show() {
      const wanted = filter.value.toLowerCase();
      let left = 0;
      for (const { row, more } of rows) {
        const found = plain(row.textContent).toLowerCase().includes(wanted);
        const hidden = !found || (!whole && !wanted && left >= SHOWN);
        left += found;
        for (const one of [row, ...more]) one.hidden = hidden;
      }
      rest.textContent = `${rows.length - SHOWN} more`;
      rest.hidden = whole || wanted !== "";
    }
    filter.addEventListener("input", show);
    tools.append(rest, filter);
    sortable(table, rows, show);
    show();
  }

  function sortable(table, rows, show) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      if (!plain(head.textContent)) return;
      const button = made("button", head.textContent, () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const one of heads) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = ({ row }) => {
          const text = main(row.cells[place]);
          return place ? measured(text)?.value ?? -Infinity : text;
        };
        rows.sort((a, b) => {
          const [one, other] = [key(a), key(b)];
          const order = one < other ? -1 : one > other ? 1 : 0;
          return down === (place > 0) ? -order : order;
        });
        for (const { row, more, body } of rows) body.append(row, ...more);
        show();
      });
      head.replaceChildren(button);
    });
  }

  for (const table of document.querySelectorAll(".scroll > table")) {
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(made("button", "CSV", () => save(table)));
    tools.append(made("button", "Copy", (button) => copy(table, button)));
    table.parentElement.after(tools);
    if (rowsOf(table).length > SHOWN + FEW) shorten(table, tools);
  }

  // What a link names is opened, and what is around it.
  function reveal() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const within = target.querySelector(":scope > details.fold");
    for (let one = within || target; one; one = one.parentElement) {
      if (one.nodeName === "DETAILS") one.open = true;
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    if (event.target.closest('a[href^="#"]')?.hash === location.hash) reveal();
  });
  reveal();

  // There is room for the contents beside a wide page.
  const contents = document.querySelector(".contents details");
  const room = matchMedia("(min-width: 84rem)");
  const spread = () => { contents.open = room.matches; };
  if (contents) {
    room.addEventListener("change", spread);
    spread();
  }
})();
