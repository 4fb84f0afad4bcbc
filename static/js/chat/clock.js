/* How much of a reply is seen at a time: {start_ms, ms_per_char}, counted from the reply's creation. */

export function shownLength(text, schedule, elapsedMs) {
  const sinceStart = elapsedMs - (schedule.start_ms || 0);
  if (sinceStart < 0) return 0;
  if (!schedule.ms_per_char) return text.length;
  const length = Math.min(text.length, Math.floor(sinceStart / schedule.ms_per_char));
  /* Never half an emoji. */
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}

export function isOver(text, schedule, elapsedMs) {
  return elapsedMs >= (schedule.start_ms || 0) + (schedule.ms_per_char || 0) * text.length;
}
