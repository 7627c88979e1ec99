import { z } from 'zod'
import { checkedText, secret } from '../../lib/schema.ts'
import { addressFault, ownHeaders } from '../shared/http-options.ts'
import { Effects, Levels, Poll, Read, Request, Search } from './mapping/template.ts'

const Token = z.string().regex(/^[\x21-\x7e]{4,}$/, 'Must be at least 4 characters of printable ASCII, without spaces.')
const Password = z
  .string()
  .min(4)
  .regex(/^[^\p{Cc}]*$/u, 'Must not have control characters.')

export const Auth = z
  .strictObject({
    bearer: secret(Token).optional().describe('A token, sent as Bearer.'),
    basic: z
      .strictObject({
        user: z
          .string()
          .regex(/^[^:\p{Cc}]+$/u, 'Must not have a colon or control characters.')
          .describe('The user.'),
        password: secret(Password).describe('The password.'),
      })
      .optional()
      .describe('User and password, sent as Basic.'),
    oauth: z
      .strictObject({
        tokenUrl: checkedText(addressFault).describe('Where a token is to be had: http or https.'),
        clientId: z.string().min(1).describe('The id of the client.'),
        clientSecret: secret(Password).describe('The secret of the client.'),
        scope: z
          .string()
          .min(1)
          .optional()
          .describe('What the token is to be good for, where the system wants it said.'),
        audience: z.string().min(1).optional().describe('Whom the token is for, where the system wants it said.'),
        send: z
          .enum(['header', 'body'])
          .default('header')
          .describe('How id and secret are sent: in the header (Basic), or in the body.'),
      })
      .optional()
      .describe('OAuth 2 client credentials: a token is fetched, and kept until it runs out.'),
  })
  .refine(
    (auth) => Object.values(auth).filter((one) => one !== undefined).length === 1,
    'Must have one of bearer, basic and oauth.',
  )

export type Auth = z.output<typeof Auth>
export type OAuth = NonNullable<Auth['oauth']>

const RESERVED = /^(content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i

function effect(what: string) {
  return Effects.optional().describe(what)
}

export const RestSchema = z.strictObject({
  url: checkedText(urlFault).describe('Where the API begins: http or https. Paths follow it.'),
  auth: Auth.optional().describe('Who asks: bearer, basic or oauth.'),
  headers: ownHeaders(RESERVED)
    .optional()
    .describe('Headers of every request, such as an API key: a whole value from the environment each.'),
  orders: z
    .strictObject({
      create: effect('An order of the POS is created.'),
      draft: effect('A basket of the POS is kept for the customer to pay online.'),
      ready: effect('The order lies ready in the store.'),
      collected: effect('The customer has it: the payment can be captured.'),
      decline: effect('The store does not have some of it.'),
      expire: effect('Nobody fetched it in time.'),
      ship: effect('The store has sent a parcel.'),
      refund: effect('Goods came back in a store, and the money must be refunded.'),
      noteRefund: effect('Goods came back in a store, which gave the money back.'),
      search: Search.optional().describe('Orders with a number, for the POS.'),
    })
    .optional()
    .describe('What is done about orders. What is left out is not done here.'),
  customers: z
    .strictObject({
      upsert: effect('A customer is created or changed.'),
      noteConsent: effect('What a customer agreed to at a POS has changed: offers by e-mail, as text messages.'),
      erase: effect('A customer is erased ("tillbridge people erase"): once for each `theirId`, or once without one.'),
      byEmail: Search.optional().describe('Customers with an e-mail address, for the POS.'),
      byPhone: Search.optional().describe('Customers with a phone number, for the POS.'),
    })
    .optional()
    .describe('What is done about customers. What is left out is not done here.'),
  stock: z
    .strictObject({
      setLevels: z
        .strictObject({
          ...Request.shape,
          atOnce: z.int().min(1).max(1_000).default(1).describe('How many levels one request may have.'),
        })
        .describe('Levels are set.'),
      readLevels: Levels.optional().describe('Levels that it counts are asked for, to be compared.'),
    })
    .optional()
    .describe('What is done about stock.'),
  backOffice: z
    .strictObject({
      sale: effect('A sale of a POS, or one that was added from outside.'),
      invoice: effect('A sale that is paid later.'),
      settlement: effect("A day's settlement totals of one POS, with its journal where the destination has accounts."),
      received: effect('Goods of a delivery have come.'),
      cost: effect('What goods of a delivery cost has changed.'),
      delivery: effect('Nothing more will come of a delivery.'),
      movement: effect('Goods came into a stock or left it.'),
      count: effect('A stock was counted.'),
      adjustment: effect('Somebody corrected levels by hand.'),
      transfer: effect('Goods left for another stock, or have come.'),
      giftCard: effect('A gift card was sold or paid with.'),
      terminal: effect('A bank terminal counted what went over it.'),
      reservation: effect('Goods are kept for somebody, or are not any more.'),
    })
    .optional()
    .describe('What books, an ERP or BI are told. What is left out is not told here.'),
  poll: Poll.optional().describe('How new orders, cancellations, sales and customers are asked for.'),
  healthCheck: Read.optional().describe('A request that only reads, by which `doctor` sees that the system knows us.'),
})

export type RestOptions = z.output<typeof RestSchema>
export type WrittenEffects = z.output<typeof Effects>

function urlFault(text: string): string | null {
  return URL.parse(text)?.search ? 'Must not have a query: give it in `query` of the requests.' : addressFault(text)
}
