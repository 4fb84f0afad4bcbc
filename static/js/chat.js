/* A conversation in the page: sends messages once, shows replies by the clock, survives reloads, lost
   connections and two tabs. What it must agree on with the server is in docs/contracts.md. */

import { bubble, typing } from "./chat/bubbles.js";
import { isOver as isShownWhole, shownLength } from "./chat/clock.js";
import { freshKey, memoryOf } from "./chat/memory.js";
import { insist, pause, requester } from "./chat/requests.js";

const POLL_MS = 1500;
const STALL_MS = 5000;
const FRAME_MS = 40;

const root = document.querySelector("[data-chat]");
const part = (name) => root.querySelector(`[data-chat-${name}]`);
const log = part("log");
const composer = part("composer");
const words = part("words");
const announcer = part("announcer");
const notice = part("notice");
const tasks = Array.from(root.querySelectorAll("[data-task]"));
const continueButton = document.querySelector("[data-chat-continue]");
const least = Number(root.dataset.min);
const most = Number(root.dataset.max);
const longest = Number(root.dataset.longest);

const memory = memoryOf(root.dataset.url);
const request = requester(root.dataset.url, root.dataset.token);
const speak = (role, text) => bubble(role, text, role === "agent" ? root.dataset.agent : "You");

/* The reply that is owed or being shown; null while it is the participant's turn. */
let reply = null;
let turns = 0;
/* Position of the last message this page knows of; another tab or window may have said more. */
let known = -1;
let hasFailed = false;
let hasEnded = false;
let isSending = false;

/* What is seen. */

/* Change what is seen; who was reading the end stays there, who has scrolled up is left alone. */
function keepingEnd(change) {
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  change();
  if (isAtEnd) scrollToEnd();
}

function add(element) {
  keepingEnd(() => log.append(element));
}

function scrollToEnd() {
  log.scrollTop = log.scrollHeight;
}

function say(text, canReload) {
  keepingEnd(() => {
    notice.textContent = text;
    notice.hidden = !text;
  });
  if (text && canReload) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chat-again";
    button.textContent = "Reload";
    button.addEventListener("click", () => location.reload());
    notice.append(" ", button);
  }
}

function nextTask() {
  return tasks.find((task) => !("raised" in task.dataset));
}

function isOver() {
  if (hasEnded) return true;
  return tasks.length ? !nextTask() && !reply : turns >= most;
}

function mayGoOn() {
  if (reply || isSending) return false;
  if (hasEnded || hasFailed) return true;
  return tasks.length ? !nextTask() : turns >= least;
}

function refresh() {
  keepingEnd(draw);
}

function draw() {
  const isOpen = !isOver();
  const isBusy = Boolean(reply) || isSending;
  part("closing").hidden = isOpen || isBusy;
  if (composer) {
    composer.hidden = !isOpen && !isBusy;
    const length = Array.from(words.value).length;
    const isTooLong = length > longest;
    composer.querySelector("button").disabled = isBusy || !words.value.trim() || isTooLong;
    part("length").textContent =
      length > longest * 0.9 ? `${length.toLocaleString("en")} of ${longest.toLocaleString("en")} characters` : "";
    words.setAttribute("aria-invalid", String(isTooLong));
    words.style.height = "auto";
    words.style.height = `${words.scrollHeight + 2}px`;
  }
  const next = isOpen ? nextTask() : null;
  for (const task of tasks) {
    task.hidden = task !== next;
    task.disabled = isBusy;
  }
  part("progress").textContent = progress();
  if (continueButton) {
    const wasOpen = !continueButton.disabled;
    continueButton.disabled = !mayGoOn();
    if (!wasOpen && !continueButton.disabled) {
      root.dispatchEvent(new CustomEvent("chat:ready", { bubbles: true }));
    }
  }
}

function progress() {
  if (tasks.length) {
    const raised = tasks.filter((task) => "raised" in task.dataset).length;
    return `${raised} of ${tasks.length} ${tasks.length === 1 ? "question" : "questions"}`;
  }
  if (turns < least) return `${turns} of ${least} messages`;
  if (turns >= most) return `${turns} messages`;
  return `${turns} ${turns === 1 ? "message" : "messages"}. You can go on below, or talk a little longer.`;
}

/* A reply: text comes from the stream or from polling, and is shown by the clock of its schedule. */

function expect(position, schedule, createdAt) {
  known = position;
  const { element, said } = speak("agent", "");
  const dots = typing();
  element.append(dots);
  add(element);
  scrollToEnd();
  reply = {
    position,
    schedule: schedule || {},
    createdAt,
    element,
    said,
    dots,
    text: "",
    isWhole: false,
    source: null,
    heardAt: performance.now(),
    errors: 0,
    timer: 0,
  };
  reply.timer = setInterval(reveal, FRAME_MS);
  refresh();
}

function reveal() {
  const length = shownLength(reply.text, reply.schedule, performance.now() - reply.createdAt);
  if (reply.said.textContent.length !== length) {
    keepingEnd(() => {
      reply.said.textContent = reply.text.slice(0, length);
      reply.dots.hidden = length > 0;
    });
  }
  if (reply.isWhole && length >= reply.text.length) finish();
}

function whole(text) {
  if (!reply) return;
  reply.text = text;
  reply.isWhole = true;
  stopListening();
}

function finish() {
  const { dots, said, timer } = reply;
  clearInterval(timer);
  dots.remove();
  said.textContent = reply.text;
  announcer.textContent = `${root.dataset.agent}: ${reply.text}`;
  reply = null;
  turns += 1;
  hasFailed = false;
  refresh();
  if (tasks.length && nextTask() && document.activeElement === log) nextTask().focus();
}

function fail(failure) {
  if (!reply) return;
  stopListening();
  clearInterval(reply.timer);
  reply.element.remove();
  reply = null;
  hasFailed = true;
  apologise(failure);
  refresh();
}

function apologise(failure) {
  const element = part("failure").content.cloneNode(true).firstElementChild;
  const again = element.querySelector("button");
  const asked = log.lastElementChild;
  again.hidden = !failure.retry || !asked || !("said" in asked.dataset);
  again.addEventListener("click", () => {
    if (reply || isSending) return;
    const { said, task } = asked.dataset;
    element.remove();
    asked.remove();
    send(task ? { task } : { text: said });
  });
  add(element);
  announcer.textContent = element.querySelector("p").textContent;
  const task = asked && tasks.find((each) => each.dataset.task === asked.dataset.task);
  if (task) delete task.dataset.raised;
  scrollToEnd();
}

/* Listening, with polling beside it whenever the stream is silent or breaks. */

function listen(url) {
  const mine = reply;
  if (!url || !mine) return;
  const source = new EventSource(url);
  mine.source = source;
  mine.heardAt = performance.now();
  const on = (name, act) =>
    source.addEventListener(name, (event) => {
      if (reply !== mine || mine.isWhole) return source.close();
      mine.heardAt = performance.now();
      act(JSON.parse(event.data));
    });
  on("accepted", (data) => {
    mine.text = "";
    mine.schedule = data.schedule || {};
  });
  on("token", (data) => {
    mine.text += data.text;
  });
  on("done", (data) => whole(data.text));
  on("failed", fail);
  source.addEventListener("error", () => {
    mine.errors += 1;
    if (mine.errors >= 2 || source.readyState === EventSource.CLOSED) {
      source.close();
    }
  });
  watch(mine);
}

function stopListening() {
  if (reply.source) reply.source.close();
}

async function watch(mine) {
  let lost = 0;
  while (reply === mine && !mine.isWhole) {
    await pause(POLL_MS);
    if (reply !== mine || mine.isWhole) return;
    const isClosed = mine.source.readyState === EventSource.CLOSED;
    if (!isClosed && performance.now() - mine.heardAt < STALL_MS) continue;
    try {
      const { status, body } = await request();
      if (reply !== mine || mine.isWhole) return;
      lost = 0;
      say("");
      if (status !== 200) return say(body.message, true);
      const row = body.messages.find((message) => message.position === mine.position);
      if (!row || row.state === "complete") whole(row ? row.text : mine.text);
      else if (row.state === "failed") fail(row.failure);
      else {
        mine.schedule = row.schedule;
        if (isClosed || row.text.length > mine.text.length) mine.text = row.text;
      }
    } catch (error) {
      lost += 1;
      if (lost >= 2) say("The connection is lost for the moment. Nothing you wrote is lost; the reply will appear here.");
    }
  }
}

/* Sending: one key per message, kept until the server has answered, so that no repeat doubles it. */

async function send(said) {
  isSending = true;
  say("");
  const message = { client_key: freshKey(), ...said };
  memory.set("sending", message);
  await deliver(message, showSent(message));
}

function showSent(message) {
  const task = tasks.find((each) => each.dataset.task === message.task);
  const text = task ? task.textContent.trim() : message.text;
  const { element } = speak("participant", text);
  element.dataset.said = text;
  if (task) {
    element.dataset.task = message.task;
    task.dataset.raised = "";
  }
  add(element);
  scrollToEnd();
  refresh();
  return element;
}

async function deliver(message, element) {
  element.classList.add("chat-sending");
  const answer = await insist(
    () => request(message),
    "Your message could not be sent yet. It is kept here and will be sent when the connection is back.",
    say
  );
  element.classList.remove("chat-sending");
  memory.set("sending", null);
  isSending = false;
  if (answer.status === 200 || answer.status === 201) {
    if (answer.body.support) support();
    if (answer.status === 200 || answer.body.position !== known + 1) return load();
    expect(answer.body.reply_position, null, performance.now());
    return listen(answer.body.stream);
  }
  element.remove();
  giveBack(message);
  if (answer.status === 409) await load();
  say(answer.body.message || "This message could not be sent. Please reload the page.", answer.status === 403);
  refresh();
}

function giveBack(message) {
  const task = tasks.find((each) => each.dataset.task === message.task);
  if (task) delete task.dataset.raised;
  if (words && message.text && !words.value) {
    words.value = message.text;
    memory.set("draft", words.value);
  }
}

function support() {
  memory.set("support", true);
  const card = document.querySelector("[data-support-card]");
  if (!card || !card.hidden) return;
  /* Where the eyes are. */
  keepingEnd(() => {
    log.after(card);
    card.hidden = false;
  });
  announcer.textContent = card.textContent.trim();
}

/* How the conversation stands, at the start and whenever this page may be behind. */

async function load() {
  const { status, body } = await insist(
    () => request(),
    "The conversation cannot be fetched just now. This page keeps trying.",
    say
  );
  if (status !== 200) return say(body.message || "This conversation could not be opened.", true);
  if (reply) {
    stopListening();
    clearInterval(reply.timer);
    reply = null;
  }
  log.textContent = "";
  hasEnded = body.state === "ended";
  turns = body.turns;
  known = body.messages.length ? body.messages[body.messages.length - 1].position : -1;
  show(body);
  scrollToEnd();
  refresh();
}

function show(body) {
  const messages = body.messages;
  hasFailed = false;
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    if (message.role === "participant") {
      /* Words that were sent again after a failed reply are shown once. */
      const again = messages[index + 2];
      if (next && next.state === "failed" && again && again.text === message.text) return;
      const { element } = speak("participant", message.text);
      element.dataset.said = message.text;
      const task = tasks.find((each) => each.textContent.trim() === message.text.trim());
      if (task) {
        element.dataset.task = task.dataset.task;
        task.dataset.raised = "";
      }
      add(element);
    } else if (message.state === "failed") {
      if (next && next.text === messages[index - 1].text) return;
      hasFailed = !next;
      if (!next) apologise(message.failure);
    } else {
      showReply(message, body.stream, !next);
    }
  });
}

function showReply(message, stream, isLast) {
  const createdAt = performance.now() - message.created_ms_ago;
  const isComplete = message.state === "complete";
  if (isComplete && (!isLast || isShownWhole(message.text, message.schedule, message.created_ms_ago))) {
    return add(speak("agent", message.text).element);
  }
  expect(message.position, message.schedule, createdAt);
  if (isComplete) {
    /* Counted again when it has been shown to its end. */
    turns -= 1;
    return whole(message.text);
  }
  reply.text = message.text;
  listen(stream);
}

/* The participant's side. */

function keepKeyboardBelow() {
  const view = window.visualViewport;
  if (!view) return;
  const adapt = () => {
    const isOpen = view.height < window.innerHeight * 0.8;
    root.classList.toggle("chat-above-keyboard", isOpen && document.activeElement === words);
    root.style.setProperty("--chat-visible", `${Math.round(view.height)}px`);
    if (isOpen && document.activeElement === words) root.scrollIntoView({ block: "end" });
    scrollToEnd();
  };
  view.addEventListener("resize", adapt);
}

function wireComposer() {
  words.value = memory.get("draft") || "";
  words.addEventListener("input", () => {
    memory.set("draft", words.value);
    refresh();
  });
  const hasKeyboard = window.matchMedia("(hover: hover) and (pointer: fine)").matches;
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !hasKeyboard) return;
    event.preventDefault();
    submit();
  });
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  keepKeyboardBelow();
}

function submit() {
  if (composer.querySelector("button").disabled) return;
  const text = words.value;
  words.value = "";
  memory.set("draft", null);
  send({ text });
  words.focus();
}

async function start() {
  if (composer) wireComposer();
  for (const task of tasks) {
    task.addEventListener("click", () => {
      if (reply || isSending) return;
      log.focus();
      send({ task: task.dataset.task });
    });
  }
  await load();
  if (memory.get("support")) support();
  const unsent = memory.get("sending");
  if (unsent && !hasEnded) {
    isSending = true;
    await deliver(unsent, showSent(unsent));
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !reply && !isSending) load();
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && !isSending) load();
  });
}

start();
