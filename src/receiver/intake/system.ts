import type { Intake } from '../../ports/intake.ts'

/** An own system that hands orders over, and what config says of it (`intake` of a destination). */
export interface IntakeSystem {
  /** The name of its destination. */
  name: string
  intake: Intake
  /** Stores by the system's own names of places; other names are store numbers themselves. */
  places: Readonly<Record<string, string>>
  /** Where its completed orders were placed. */
  country: string | undefined
  /** The store that sales in a currency are imported under, by its number. */
  currencies: Readonly<Record<string, string>>
  /** How long the store keeps the goods of an order that does not say so. */
  reservationHours: number | undefined
  /** Orders completed before this (ISO 8601 with its zone) are no sales; undefined: those from a day before it was connected. */
  salesSince: string | undefined
}
