import type { Config } from '../../config/config.ts'

/** Built-in adapters that no step about an online order goes to. */
const WITHOUT_ORDERS = ['files', 'http', 'sql']

/** Adapters that tell customers, where they are asked to. */
const TELLING = ['smtp', 'sms-http']

/**
 * Says in a sentence that what webhooks say of orders will be held, since the platform cannot be asked and its webhooks are not
 * believed; null: that is not so, or no destination would get such a step.
 */
export function notBorneOut({ platform, destinations }: Pick<Config, 'platform' | 'destinations'>): string | null {
  if (platform.baseUrl !== undefined || platform.trustWebhooks) return null
  const held = destinations
    .filter(({ adapter }) => !WITHOUT_ORDERS.includes(adapter))
    .filter(({ adapter, messages }) => !TELLING.includes(adapter) || messages.length > 0)
    .map(({ name }) => name)
  if (held.length === 0) return null
  return `The platform cannot be asked, so what webhooks say of orders and refunds is held at ${held.join(', ')}.`
}

/** The remedy. */
export const BORNE_OUT_BY =
  'set platform.baseUrl and its keys, or platform.trustWebhooks: true if nobody else can know the webhook token.'
