/**
 * An instant as people at the terminal read it: by their own clock (TZ), to the second, with how far that is from UTC, since
 * the till, a mailbox and the hub's log may each go by another one. `--since` takes it as it is printed.
 */
export function when(instant: number | null): string {
  if (instant === null) return ''
  const date = new Date(instant)
  return `${date.toLocaleString('sv-SE')}${offsetOf(date)}`
}

/** The day of an instant, by the same clock. */
export function dayOf(instant: number): string {
  return when(instant).slice(0, 'yyyy-mm-dd'.length)
}

/** `+01:00`: that of the date itself, in summer another one than in winter. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${[hours, rest].map((part) => String(part).padStart(2, '0')).join(':')}`
}

/** How long ago: `42 s`, `12 min`, `3 h`, `5 d`. */
export function ago(instant: number | null, now = Date.now()): string {
  if (instant === null) return ''
  const seconds = Math.max(0, Math.round((now - instant) / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** How long until then: `in 42 s`, `now`. */
export function inSoLong(instant: number, now = Date.now()): string {
  return instant <= now ? 'now' : `in ${ago(now, instant)}`
}
