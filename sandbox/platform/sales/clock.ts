import { STORES, type Store } from '../stores.ts'

/** Made once: a formatter takes longer to make than thousands of times to format. */
const CLOCKS = new Map(STORES.map(({ TimeZoneInfo }) => [TimeZoneInfo, wallClock(TimeZoneInfo)]))

/** The store's wall clock without a zone; milliseconds as .NET writes them: none, or without closing zeros. */
export function storeTime(instant: number, { TimeZoneInfo }: Pick<Store, 'TimeZoneInfo'>): string {
  const seconds = (CLOCKS.get(TimeZoneInfo) ?? wallClock(TimeZoneInfo)).format(instant).replace(' ', 'T')
  const fraction = String(instant % 1_000)
    .padStart(3, '0')
    .replace(/0{1,3}$/, '')
  return fraction === '' ? seconds : `${seconds}.${fraction}`
}

/** When a wall clock shows this: of the hour that comes twice the first one. */
export function instantIn(wallClock: string, zone: Pick<Store, 'TimeZoneInfo'>): number {
  const asUtc = Date.parse(`${wallClock}Z`)
  const offsets = [-86_400_000, 86_400_000].map((day) => Date.parse(`${storeTime(asUtc + day, zone)}Z`) - asUtc - day)
  const instants = offsets.map((offset) => asUtc - offset).sort((a, b) => a - b)
  const shown = instants.find((instant) => Date.parse(`${storeTime(instant, zone)}Z`) === asUtc)
  return shown ?? instants[0] ?? asUtc
}

/** The store's day, yyyy-mm-dd. */
export function storeDay(instant: number, store: Pick<Store, 'TimeZoneInfo'>): string {
  return storeTime(instant, store).slice(0, 10)
}

/** Whether this text is a day that exists, yyyy-mm-dd. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const start = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
}

/** Swedish dates are written year first. */
function wallClock(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
}
