const DAY = 24 * 3_600_000

/** The calendar day (`yyyy-mm-dd`) so many days later; below 0, earlier. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY).toISOString().slice(0, 10)
}

export function dayAfter(day: string): string {
  return addDays(day, 1)
}

/** Whether this is a calendar day (`yyyy-mm-dd`) that there is: 30 February is none. */
export function isDay(text: string): boolean {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}
