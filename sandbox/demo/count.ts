import type { PlacedOnline } from './online.ts'
import type { Effects } from './reconcile.ts'
import type { World } from './world.ts'

/**
 * Effects that must be there by the POS's own log, receipt by receipt, and those that are, counted where they arrived. The hub is
 * not asked.
 */
export function countEffects(world: World, placed: readonly PlacedOnline[], { hideOneMail = false } = {}): Effects[] {
  const { platform, shop, mailbox, texts, bus } = world
  const posLog = platform.posLog()
  const did = (what: (typeof posLog)[number]['what']) => posLog.filter((entry) => entry.what === what)
  const receipts = mailbox.mails().filter(({ subject }) => !subject.includes('is ready'))
  const mails = Map.groupBy(receipts, ({ messageId }) => messageId)
  const addressed = [...mails.values()].flatMap(
    ([mail]) => mail?.to.map((to) => `${to} ${receiptIn(mail.subject)}`) ?? [],
  )
  const messages = Map.groupBy(texts.texts(), ({ reference }) => reference)
  return [
    {
      name: 'sales at the bus',
      expected: did('sale').map(({ storeNo, posId, receiptNo, total }) => `${storeNo}/${posId}/${receiptNo} ${total}`),
      counted: bodiesOf(bus, 'SaleCreated').map(
        ({ store, receiptNo, total }) => `${store.storeExtId}/${store.posId}/${receiptNo} ${Number(total).toFixed(2)}`,
      ),
      copies: bus.copies('SaleCreated'),
    },
    {
      name: 'stock movements at the bus',
      expected: did('movement').map(({ movementId, quantity }) => `${movementId} ${quantity}`),
      counted: bodiesOf(bus, 'StockMovementCreated').map(({ movementId, quantity }) => `${movementId} ${quantity}`),
      copies: bus.copies('StockMovementCreated'),
    },
    {
      name: 'orders in the shop',
      expected: did('endless-aisle').map(
        ({ txRef, onlineTotal, currency }) => `${txRef} ${onlineTotal} ${currency} paid`,
      ),
      counted: shop
        .orders()
        .filter(({ number }) => placed.every((online) => online.number !== number))
        .map(
          ({ transactionId, total, currency, datePaid }) =>
            `${transactionId} ${total} ${currency} ${datePaid === null ? 'unpaid' : 'paid'}`,
        ),
    },
    {
      name: 'receipts by e-mail',
      expected: did('receipt-email').map(({ recipient, receiptNo }) => `${recipient} ${receiptNo}`),
      counted: hideOneMail ? addressed.slice(1) : addressed,
      copies: receipts.length - mails.size,
    },
    {
      name: 'receipts by SMS',
      expected: did('receipt-text').map(({ recipient, receiptUrl }) => `${digits(recipient)} ${receiptUrl}`),
      counted: [...messages.values()].flatMap(([message]) =>
        message ? `${digits(message.to)} ${/https?:\S+/.exec(message.text)?.[0]}` : [],
      ),
      copies: texts.texts().length - messages.size,
    },
  ]
}

/** The fields that the demo reads of the events at the bus. */
interface Body {
  store: { storeExtId: string; posId: number }
  receiptNo: string
  total: number
  movementId: number
  quantity: number
}

function bodiesOf(bus: World['bus'], wanted: string): Body[] {
  return bus
    .events()
    .filter(({ kind }) => kind === wanted)
    .map(({ body }) => JSON.parse(body.toString()) as Body)
}

/** The receipt's number is the last one in the subject. */
function receiptIn(subject: string): string | undefined {
  return subject.match(/\d+/g)?.at(-1)
}

function digits(phone: string | null): string {
  return phone?.replace(/\D/g, '') ?? ''
}
