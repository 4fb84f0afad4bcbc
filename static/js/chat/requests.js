/* Requests to the server, repeated until it answers. */

const REQUEST_MS = 15000;
const PAUSES_MS = [1000, 2000, 4000, 8000];

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/* A function that posts its argument as JSON, or reads when it has none. It resolves to {status, body} and
   rejects when the network fails or the server is in trouble. */
export function requester(url, token) {
  return async (body) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), REQUEST_MS);
    try {
      const answer = await fetch(url, {
        method: body ? "POST" : "GET",
        headers: { "X-Chat-Token": token, "Content-Type": "application/json" },
        body: body ? JSON.stringify(body) : undefined,
        signal: abort.signal,
      });
      if (answer.status >= 500) throw new Error(`status ${answer.status}`);
      const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
      return { status: answer.status, body: isJson ? await answer.json() : {} };
    } finally {
      clearTimeout(timer);
    }
  };
}

/* The answer of `act`, however often it has to be tried; from the second failure on `tell` is given `trouble`
   to show, and "" once it is over. */
export async function insist(act, trouble, tell) {
  for (let number = 0; ; number += 1) {
    try {
      const answer = await act();
      if (number > 0) tell("");
      return answer;
    } catch (error) {
      if (number > 0) tell(trouble);
      await pause(PAUSES_MS[Math.min(number, PAUSES_MS.length - 1)]);
    }
  }
}
