import { z } from 'zod'
import { secret } from '../../../lib/secret.ts'

const word = z.string().trim().min(1).max(200)

/** As WooCommerce names one: without `wc-`. */
const Status = z.string().regex(/^(?!wc-)[\w-]{1,40}$/, 'Must be a status as the API names it, without "wc-".')

const HANDED_OVER = ['orders', 'sales', 'customers'] as const

/** Options by which the shop hands its orders, sales and customers over: part of the adapter's options. */
export const intakeOptions = {
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
    .describe('What the shop calls an order that is to be carried out. Plugins add some.'),
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
