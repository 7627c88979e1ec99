import { amountText, type Decimal, type Money, roundMoney } from '../../../domain/values/money.ts'

/** How a receipt writes numbers, days and times: as people do in the store's country. */
export interface Formats {
  /** Rounded to coins, without the currency: `1 399,50`. */
  amount(value: Money): string
  /** Rounded to coins, with the currency: `1 399,50 kr`. */
  money(value: Money): string
  quantity(value: Decimal): string
  /** A fraction as per cent: 0.25 is `25 %`. */
  percent(value: Decimal): string
  /** The day of a store's wall clock; a text that is no datetime as it is. */
  date(wallClock: string): string
  /** The time of day of a wall clock; empty where there is none. */
  time(wallClock: string): string
}

/** Formats of a country (ISO 3166), else of `fallback`, a locale. */
export function createFormats(country: string | null, fallback: string): Formats {
  const locale = localeOf(country, fallback)
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const date = new Intl.DateTimeFormat(locale, { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

  function numbers(value: Money, options: Intl.NumberFormatOptions): string {
    const text = amountText(roundMoney(value))
    // Intl knows no coins of currencies whose coins nobody uses (HUF); the sale's amounts may have them all the same.
    const digits = text.split('.')[1]?.length ?? 0
    const format = new Intl.NumberFormat(locale, {
      ...options,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
    return format.format(exact(text))
  }

  return {
    amount: (value) => numbers(value, {}),
    money: (value) => numbers(value, { style: 'currency', currency: value.currency }),
    quantity: (value) => quantity.format(exact(value)),
    percent: (value) => percent.format(exact(value)),
    date(wallClock) {
      const shown = asUtc(wallClock)
      return shown ? date.format(shown) : wallClock
    },
    time(wallClock) {
      const shown = asUtc(wallClock)
      return shown ? time.format(shown) : ''
    },
  }
}

/** The country's own way, with the digits and the calendar that receipts have everywhere. */
function localeOf(country: string | null, fallback: string): string {
  const known = country !== null && /^[A-Z]{2}$/.test(country)
  const { baseName } = known ? new Intl.Locale(`und-${country}`).maximize() : new Intl.Locale(fallback)
  return `${baseName}-u-nu-latn-ca-gregory`
}

/** Intl reads a decimal text digit by digit; its types only know texts of a fixed form. */
function exact(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral
}

/** A wall clock as an instant that shows the same digits in UTC. A zone is left out: the digits are what the till showed. */
function asUtc(wallClock: string): Date | null {
  const digits = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/i.exec(wallClock)
  const date = new Date(`${digits?.[1]}T${digits?.[2]}:00Z`)
  return Number.isNaN(date.getTime()) ? null : date
}
