import { addressFault, checkedText, secret } from 'tillbridge/adapter'
import { z } from 'zod'

const word = z.string().trim().min(1).max(200)

const Status = z.string().regex(/^(?!wc-)[\w-]{1,40}$/, 'Must be a status as the API names it, without "wc-".')
const HANDED_OVER = ['orders', 'sales', 'customers'] as const

const intakeOptions = {
  webhookSecret: secret(z.string().min(8, 'Must have at least 8 characters.'))
    .optional()
    .describe("The secret of the shop's webhooks, all the same. Without it, no webhook is taken."),
  poll: z
    .boolean()
    .optional()
    .describe('Whether the shop is asked for changed orders now and then. Left out: where there is a webhookSecret.'),
  handsOver: z
    .array(z.enum(HANDED_OVER))
    .default([...HANDED_OVER])
    .describe('What is taken from the shop: orders for stores, completed orders as sales, customers.'),
  pickup: z
    .strictObject({
      methods: z
        .array(word)
        .default(['local_pickup', 'pickup_location'])
        .describe('Ids of the shipping methods by which customers fetch an order in a store.'),
    })
    .prefault({})
    .describe('Which orders are picked up.'),
  storeMeta: word
    .optional()
    .describe("Key of an order's meta data that names its store, also of an order that the store is to send."),
  paidStatuses: z
    .array(Status)
    .min(1)
    .default(['processing'])
    .describe('What the shop calls an order that is to be executed. Plugins add some.'),
  payInStore: z
    .array(word)
    .default(['cod'])
    .describe('Ids of the payment methods by which customers pay in the store.'),
  creditPayment: z
    .strictObject({
      type: word.describe('Its type in orders for stores, such as Gift card.'),
      paymentType: z.int().describe('Its type in sales: 5 is a gift card, 99 unspecified.'),
    })
    .optional()
    .describe(
      'The payment that a gift card or store credit becomes, which a plugin takes off the total of an order without a line. Left out: such an order is held.',
    ),
  freightGtin: word
    .optional()
    .describe('GTIN of the article that shipping and fees of a sale become. Left out: they are no part of it.'),
}

const PLACEHOLDERS = ['number', 'store', 'goods', 'link']

function textFor(what: string, usual: string) {
  const unknown = (text: string) =>
    [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name ?? '').filter((name) => !PLACEHOLDERS.includes(name))
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => unknown(text).length === 0, {
      error: ({ input }) => `Has {${unknown(String(input)).join('}, {')}}: there are {${PLACEHOLDERS.join('}, {')}}.`,
    })
    .default(usual)
    .describe(what)
}

/** Customers see reasons of refunds too. */
const Texts = z
  .strictObject({
    draft: textFor('With the link to pay a basket.', 'Your basket is waiting for you. Pay it here: {link}'),
    ready: textFor('The order lies ready.', 'Your order {number} is ready for you at {store}.'),
    declined: textFor(
      'Goods that the store does not have.',
      'We are sorry: of your order {number}, we cannot deliver {goods}.',
    ),
    expired: textFor('Nobody came for the order.', 'Your order {number} was not collected in time and is cancelled.'),
    refundDeclined: textFor('Reason of a refund for declined goods.', 'Not available: {goods}'),
    refundExpired: textFor('Reason of a refund for an order that nobody collected.', 'Not collected'),
    refundReturned: textFor('Reason of a refund for goods that came back.', 'Returned at {store}: {goods}'),
  })
  .prefault({})

export function filled(
  text: string,
  values: { number?: string; store?: string | null; goods?: string; link?: string },
) {
  const usual: Record<string, string> = { number: '', store: 'the store', goods: 'goods', link: '' }
  return text.replace(/\{(\w+)\}/g, (_, name: keyof typeof values) => values[name] || (usual[name] ?? '')).trim()
}

const OCCASIONS = ['draft', 'ready', 'declined', 'expired'] as const

export const WooCommerceOptions = z.strictObject({
  url: checkedText(urlFault).describe(
    'The address of the shop, without /wp-json: https, or http where a proxy before the shop adds TLS.',
  ),
  consumerKey: secret(credential('ck_')).describe('Consumer key of a REST API key with read and write permission.'),
  consumerSecret: secret(credential('cs_')).describe('Consumer secret of the same REST API key.'),
  statuses: z
    .strictObject({
      ready: Status.optional().describe('An order that lies ready; left out: as it was.'),
      collected: Status.default('completed').describe('An order that the customer has. Payments are captured by it.'),
      shipped: Status.or(z.literal(false))
        .default('completed')
        .describe('An order whose goods are all in parcels; false: as it was.'),
      cancelled: Status.default('cancelled').describe('An order that is off.'),
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

export type Occasion = (typeof OCCASIONS)[number]

export type WooCommerceOptions = z.output<typeof WooCommerceOptions>

/** Long enough that masking it hides nothing else. */
function credential(prefix: string): z.ZodString {
  return z
    .string()
    .regex(/^[\x21-\x39\x3b-\x7e]{8,}$/, `Must be as the shop shows it (${prefix}…): at least 8 characters, no space.`)
}

function urlFault(text: string): string | null {
  const fault = addressFault(text)
  if (fault) return fault
  const { search, pathname } = new URL(text)
  if (search) return 'Must not have a query.'
  return /\/wp-json(\/|$)/.test(pathname) ? 'Must end before /wp-json, which Tillbridge adds.' : null
}
