/** The consents of a customer of the platform, and by what the customer may be found. */
export interface CustomerConsent {
  /** The platform's id. */
  customerId: string
  /** The customer's id in the retailer's own system. */
  extId: string | null
  email: string | null
  /** E.164 where it could be read so, else as written. */
  phone: string | null
  /** Whether offers may come by e-mail; null: nobody said. */
  agreedSendEmail: boolean | null
  /** Whether offers may come as text messages; null: nobody said. */
  agreedSendSms: boolean | null
  /** When it was last said, as the platform wrote it. */
  agreedAt: string | null
}
