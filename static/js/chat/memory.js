/* What a tab keeps of a conversation until the server has it: the draft, and the message being sent. */

export function memoryOf(conversation) {
  const name = (key) => `chat:${conversation}:${key}`;
  return {
    get(key) {
      try {
        return JSON.parse(sessionStorage.getItem(name(key)));
      } catch (error) {
        return null;
      }
    },
    set(key, value) {
      try {
        if (value === null) sessionStorage.removeItem(name(key));
        else sessionStorage.setItem(name(key), JSON.stringify(value));
      } catch (error) {
        /* Private windows of some browsers keep nothing; the page works without. */
      }
    },
  };
}

/* A message's own key, by which a repeated POST finds its first. */
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
