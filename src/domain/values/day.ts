const DAY = 24 * 3_600_000

/** The calendar day (`yyyy-mm-dd`) so many days later; below 0, earlier. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY).toISOString().slice(0, 10)
}

export function dayAfter(day: string): string {
  return addDays(day, 1)
}
