import { Temporal } from 'temporal-polyfill'

/** The clock and the zone of the shop's site. Times are kept in whole seconds, as milliseconds since 1970. */
export interface SiteTime {
  now(): number
  /** `2026-03-01T13:00:00`, on the site's wall clock. */
  local(time: number): string
  /** The same in GMT; no zone is written in either. */
  gmt(time: number): string
  /**
   * The instant that a text of `after` or `before` means. Without `dates_are_gmt` an instant, read on the site's clock where no zone is
   * written. With it WooCommerce compares digits with GMT: a zone that is written shifts them to the site's clock first,
   * so `…Z` is off by the site's offset. That is how the real one does it; leave the zone out.
   */
  bound(text: string, areGmt: boolean): number
}

export function createSiteTime(zone: string, now: () => number): SiteTime {
  const local = (time: number) =>
    Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).toPlainDateTime()
  return {
    now: () => Math.floor(now() / 1000) * 1000,
    local: (time) => local(time).toString({ smallestUnit: 'second' }),
    gmt,
    bound(text, areGmt) {
      const written = text.toUpperCase().replace(' ', 'T')
      const zoned = /(Z|[+-]\d\d(:?\d\d)?)$/.exec(written)
      if (zoned) {
        const instant = Temporal.Instant.from(written).epochMilliseconds
        return areGmt ? fromGmt(local(instant)) : instant
      }
      const plain = Temporal.PlainDateTime.from(written)
      return areGmt ? fromGmt(plain) : plain.toZonedDateTime(zone).epochMilliseconds
    },
  }
}

function gmt(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}

function fromGmt(plain: Temporal.PlainDateTime): number {
  return plain.toZonedDateTime('UTC').epochMilliseconds
}
