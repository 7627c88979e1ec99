const LONGEST = 24 * 60 * 60 * 1000

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} [\d:]{8} GMT$/

/**
 * When a `Retry-After` header (seconds, which some write with a fraction, or an HTTP date) allows the next try, in milliseconds since 1970.
 * Null for none, for nonsense and for a time that is over; never more than a day ahead, whatever the header says.
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  const at = /^\d+(\.\d+)?$/.test(value)
    ? now + Math.ceil(Number(value)) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value)
      : Number.NaN
  return at > now ? Math.min(at, now + LONGEST) : null
}
