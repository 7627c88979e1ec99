import { z } from 'zod'
import { checkedText } from '../../lib/checked-text.ts'
import { isLinkLocal } from '../../lib/http/http-addresses.ts'
import { secret } from '../../lib/secret.ts'
import { intakeOptions } from './intake/options.ts'
import { Texts } from './options-texts.ts'

const OCCASIONS = ['draft', 'ready', 'declined', 'expired'] as const

/** As the REST API names it: without `wc-`. */
const status = z.string().regex(/^(?!wc-)[a-z0-9-]{1,20}$/, 'Must be a status as the API names it, without "wc-".')

/** Options that an operator writes under a destination with `adapter: woocommerce`. */
export const WooCommerceOptions = z.strictObject({
  url: checkedText(urlFault).describe(
    'The address of the shop, without /wp-json: https, or http where a proxy before the shop adds TLS.',
  ),
  consumerKey: secret(credential('ck_')).describe('Consumer key of a REST API key with read and write permission.'),
  consumerSecret: secret(credential('cs_')).describe('Consumer secret of the same REST API key.'),
  statuses: z
    .strictObject({
      ready: status.optional().describe('An order that lies ready; left out: as it was.'),
      collected: status.default('completed').describe('An order that the customer has. Payments are captured by it.'),
      shipped: status
        .or(z.literal(false))
        .default('completed')
        .describe('An order whose goods are all in parcels; false: as it was.'),
      cancelled: status.default('cancelled').describe('An order that is off.'),
    })
    .prefault({})
    .describe('What the shop calls the states of an order; a plugin of the shop may have added some.'),
  tellCustomer: z
    .array(z.enum(OCCASIONS))
    .default([...OCCASIONS])
    .describe(
      'Of what the shop writes to the customer, with a note; of what is left out, only people in the shop read.',
    ),
  texts: Texts.describe('What customers read. {number}, {store}, {goods} and {link} stand for what they say.'),
  refundPayments: z
    .boolean()
    .default(true)
    .describe("Whether refunds give the money back through the shop's payment provider; false: people do it by hand."),
  restock: z
    .boolean()
    .default(false)
    .describe('Whether refunded goods go back into the stock of the shop; false: the store has them.'),
  countVariations: z
    .boolean()
    .default(false)
    .describe(
      'Whether levels make the shop count variations that it does not count by themselves; false: these are left as they are.',
    ),
  ...intakeOptions,
})

/** An occasion on which customers can be told. */
export type Occasion = (typeof OCCASIONS)[number]

export type WooCommerceOptions = z.output<typeof WooCommerceOptions>

/** As WooCommerce makes them. Long enough that hiding one in a message hides nothing else. */
function credential(prefix: string): z.ZodString {
  return z
    .string()
    .regex(/^[\x21-\x39\x3b-\x7e]{8,}$/, `Must be as the shop shows it (${prefix}…): at least 8 characters, no space.`)
}

function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'Must be an http or https URL.'
  if (url.username || url.password) return 'Must not have a user or a password: give consumerKey and consumerSecret.'
  if (url.search || url.hash) return 'Must not have a query or a fragment.'
  if (/\/wp-json(\/|$)/.test(url.pathname)) return 'Must end before /wp-json, which Tillbridge adds.'
  return isLinkLocal(url.hostname) ? 'Must not be a link-local address.' : null
}
