/** The retailer's clock, on the pages of all its parts: what happened at once has one time everywhere. */
const CLOCK = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Oslo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

/** An instant as people read it: `2026-11-20 10:00:01 CET`. */
export function pageTime(instant: number | Date): string {
  return CLOCK.format(instant)
}
