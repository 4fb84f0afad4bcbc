/**
 * Questions on a page: sliders without a thumb until touched, times, and saving while one goes.
 *
 * The page works without this file; every answer also goes with the form itself.
 * All times are milliseconds on the page's clock, which began when the page was first shown; the
 * server tells every tab where it stands, so that answers given later carry a higher revision.
 *
 * Expects [data-scale] inside a form with data-save-url, a CSRF field and a submit button.
 */

const SAVE_AFTER_MS = 700;
const RETRY_FIRST_MS = 1000;
const RETRY_LONGEST_MS = 30000;
const MISSING = "missing";
const ANSWERED = "answered";
const PREFER_NOT = "prefer_not";
const DOES_NOT_FIT = "does_not_fit";

/** The page's clock. It may not stand still while the device sleeps, hence the later of two clocks. */
function startClock(begunMs) {
  const wall = Date.now();
  const steady = performance.now();
  return () => Math.round(begunMs + Math.max(performance.now() - steady, Date.now() - wall, 0));
}

/** One item of the page: its fields, its times, and its answer as the server takes it. */
class Item {
  constructor(element, clock) {
    this.element = element;
    this.key = element.dataset.item;
    this.kind = element.dataset.kind;
    this.clock = clock;
    this.times = element.querySelector(`input[name="t-${this.key}"]`);
    this.inputs = [...element.querySelectorAll(`[name="i-${this.key}"]`)];
    this.declined = element.querySelector(`[name="s-${this.key}"]`);
    this.line = element.querySelector(".slider-line");
  }

  get timing() {
    const [first, last, changes, revision] = this.times.value.split(",");
    return { first, last, changes: Number(changes), revision: Number(revision) };
  }

  /** Note a change; a text counts one change when it is left, not one for every key. */
  touch(counts) {
    const before = this.timing;
    const now = this.clock();
    const revision = Math.max(now, before.revision + 1);
    this.times.value = [before.first || now, now, before.changes + (counts ? 1 : 0), revision].join(",");
    this.element.classList.remove("item-open");
    this.element.querySelector("[data-note]")?.remove();
  }

  /** Say, at the question, why an answer could not be kept. */
  refuse(message) {
    this.element.querySelector("[data-note]")?.remove();
    const note = document.createElement("p");
    note.className = "item-note";
    note.dataset.note = "";
    note.setAttribute("role", "alert");
    note.textContent = message;
    this.times.before(note);
    this.element.classList.add("item-open");
  }

  answer() {
    const { first, last, changes, revision } = this.timing;
    const [state, value] = this.stateAndValue();
    const number = (text) => (text === "" ? null : Number(text));
    return {
      item: this.key, state, value, first_ms: number(first), last_ms: number(last), changes, revision,
    };
  }

  stateAndValue() {
    if (this.declined?.checked) return [PREFER_NOT, null];
    if (this.kind === "ticked") {
      const ticked = this.inputs.filter((input) => input.checked).map((input) => Number(input.value));
      return ticked.length ? [ANSWERED, ticked] : [MISSING, null];
    }
    if (this.kind === "picked") {
      const picked = this.inputs.find((input) => input.checked)?.value;
      if (picked === undefined) return [MISSING, null];
      if (picked === PREFER_NOT || picked === DOES_NOT_FIT) return [picked, null];
      return [ANSWERED, Number(picked)];
    }
    const [input] = this.inputs;
    if (input.value === "") return [MISSING, null];
    return [ANSWERED, input.type === "number" ? Number(input.value) : input.value];
  }
}

const NOT_SAVED =
  "Your answers can no longer be saved in the background. They are still on this page: please press Continue.";

/** Sends what changed, in batches; tries again later when that fails; says how it stands. */
class Saver {
  constructor(form) {
    this.form = form;
    this.url = form.dataset.saveUrl;
    this.status = form.querySelector("[data-status]");
    this.waiting = new Map();
    this.wait = RETRY_FIRST_MS;
    this.timer = 0;
    this.sending = false;
    this.closed = !this.url;
  }

  add(item) {
    this.waiting.set(item.key, item);
    this.later(SAVE_AFTER_MS);
  }

  later(milliseconds) {
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(() => this.send(), milliseconds);
  }

  post(answers, keepalive) {
    return fetch(this.url, {
      method: "POST",
      credentials: "same-origin",
      keepalive,
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": this.form.elements.csrfmiddlewaretoken?.value ?? "",
      },
      body: JSON.stringify({ answers }),
    });
  }

  async send() {
    if (this.sending || this.closed || !this.waiting.size) return;
    const batch = [...this.waiting.values()];
    this.waiting.clear();
    this.sending = true;
    let response = null;
    try {
      response = await this.post(batch.map((item) => item.answer()), false);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    } finally {
      this.sending = false;
    }
    if (this.closed) return;
    if (response?.ok) {
      this.wait = RETRY_FIRST_MS;
      const { refused = [] } = await response.json();
      // Only while it still says what was refused: it may have been corrected on the way.
      const current = refused.filter(({ item }) => !this.waiting.has(item));
      current.forEach(({ item, message }) => batch.find(({ key }) => key === item)?.refuse(message));
      this.say(current.length ? "" : "Saved");
      if (this.waiting.size) this.later(SAVE_AFTER_MS);
    } else if (response && response.status < 500 && response.status !== 429) {
      // Asking again would get the same answer; the form itself still brings everything along.
      this.closed = true;
      const { message = NOT_SAVED } = await response.json().catch(() => ({}));
      this.say(message);
    } else {
      batch.forEach((item) => this.waiting.has(item.key) || this.waiting.set(item.key, item));
      this.say("Not saved yet, trying again. Your answers are still on this page.");
      this.later(this.wait);
      this.wait = Math.min(this.wait * 2, RETRY_LONGEST_MS);
    }
  }

  /** The page goes away: hand the rest to the browser, which sends it without us. */
  flush() {
    if (this.closed || !this.waiting.size) return;
    const answers = [...this.waiting.values()].map((item) => item.answer());
    this.post(answers, true).catch(() => this.later(this.wait));
  }

  stop() {
    this.closed = true;
    clearTimeout(this.timer);
  }

  open() {
    this.closed = !this.url;
    if (this.waiting.size) this.later(SAVE_AFTER_MS);
  }

  say(text) {
    if (this.status && this.status.textContent !== text) this.status.textContent = text;
  }
}

/** The line stands in for the number field: no thumb, no value, until it is touched. */
function joinSlider(item, changed) {
  const [field] = item.inputs;
  const { line } = item;
  const take = (counts) => {
    delete line.dataset.untouched;
    line.removeAttribute("aria-valuetext");
    field.value = line.value;
    if (item.declined) item.declined.checked = false;
    changed(item, counts);
  };
  line.addEventListener("input", () => take(false));
  line.addEventListener("change", () => take(true));
  // Touching exactly where the hidden thumb stands changes nothing, and is an answer all the same.
  line.addEventListener("click", () => "untouched" in line.dataset && take(true));
  line.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && "untouched" in line.dataset) {
      event.preventDefault();
      take(true);
    }
  });
}

function clearSlider(item) {
  item.inputs[0].value = "";
  item.line.dataset.untouched = "";
  item.line.setAttribute("aria-valuetext", "not answered yet");
}

function joinCounter(item) {
  const count = item.element.querySelector("[data-count]");
  const [field] = item.inputs;
  if (!count) return;
  const show = () => {
    count.textContent = field.value ? `${field.value.length} so far. ` : "";
  };
  field.addEventListener("input", show);
  show();
}

function join(scale) {
  const form = scale.closest("form");
  const clock = startClock(Number(scale.dataset.clockMs) || 0);
  const saver = new Saver(form);
  const changed = (item, counts) => {
    item.touch(counts);
    saver.add(item);
  };
  for (const element of scale.querySelectorAll("[data-item]")) {
    const item = new Item(element, clock);
    if (item.line) joinSlider(item, changed);
    else if (item.kind === "typed") {
      const [field] = item.inputs;
      field.addEventListener("input", () => {
        if (item.declined) item.declined.checked = false;
        changed(item, false);
      });
      field.addEventListener("change", () => changed(item, true));
      joinCounter(item);
    } else {
      item.inputs.forEach((input) => input.addEventListener("change", () => {
        if (item.declined) item.declined.checked = false;
        changed(item, true);
      }));
    }
    item.declined?.addEventListener("change", () => {
      if (item.declined.checked && item.line) clearSlider(item);
      changed(item, true);
    });
  }
  const button = form.querySelector("button[type=submit]");
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent !== undefined) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "";
    button?.setAttribute("aria-disabled", "true");
    saver.stop();
  });
  addEventListener("pagehide", () => saver.flush());
  // A phone may end a page that was put away without another word.
  document.addEventListener("visibilitychange", () => document.hidden && saver.flush());
  // Back from the browser's memory: the page may be used again.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    delete form.dataset.sent;
    button?.removeAttribute("aria-disabled");
    saver.open();
  });
  scale.classList.add("scale-live");
  scale.querySelector("[data-reminder]")?.focus();
}

document.querySelectorAll("[data-scale]").forEach(join);
