/* What is drawn for a message. */

export function bubble(role, text, speaker) {
  const element = document.createElement("div");
  element.className = `chat-message chat-${role}`;
  const name = document.createElement("span");
  name.className = "visually-hidden";
  name.textContent = `${speaker}: `;
  const said = document.createElement("p");
  said.textContent = text;
  element.append(name, said);
  return { element, said };
}

export function typing() {
  const dots = document.createElement("span");
  dots.className = "chat-typing";
  dots.setAttribute("aria-hidden", "true");
  dots.append(document.createElement("i"), document.createElement("i"), document.createElement("i"));
  return dots;
}
