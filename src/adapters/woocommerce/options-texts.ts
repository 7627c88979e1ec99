import { z } from 'zod'

/** The names that may stand in a text, in braces. */
const PLACEHOLDERS = ['number', 'store', 'goods', 'link']

/** A text for people, in the retailer's language. */
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

/** Notes to customers, and reasons of refunds, which the shop shows them too. */
export const Texts = z
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

export type Texts = z.output<typeof Texts>

/** A text with what stands for its placeholders. Nothing that is known of them leaves "the store" and the like. */
export function filled(
  text: string,
  values: { number?: string; store?: string | null; goods?: string; link?: string },
) {
  const usual: Record<string, string> = { number: '', store: 'the store', goods: 'goods', link: '' }
  return text.replace(/\{(\w+)\}/g, (_, name: keyof typeof values) => values[name] || (usual[name] ?? '')).trim()
}
