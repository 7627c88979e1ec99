import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { KINDS } from '../../../sandbox/platform/schemas/kinds.ts'
import { givenPlatform, subscribe } from './given.ts'

const SKU = 'COAT-NVY-M'
const GOODS = { sku: SKU, quantity: '2' }

/** A button of a page: what stands in its form, and the kinds that it must cause. */
type Press = readonly [page: string, action: RegExp, form: Readonly<Record<string, string>>, ...kinds: string[]]

const ORDER = 'OmniChannelOrderUpdated'

const PRESSES: readonly Press[] = [
  ['/', /\/till\/sell/, { 'line.7090012340073': '1', payment: 'cash' }, 'SaleCreated', 'StockMovementCreated'],
  ['/', /\/till\/sell/, { payment: 'invoice' }, 'InvoiceCreated'],
  ['/', /\/till\/return/, { 'line.7090012340073': '1' }, 'SaleCreated', 'StockMovementCreated'],
  ['/', /\/till\/receipt-sms/, {}, 'OmniChannelSendReceiptCreated'],
  ['/', /\/till\/receipt-email/, {}, 'OmniChannelSendReceiptCreated'],
  ['/', /\/till\/endless-aisle/, {}, 'OmniChannelEndlessAisleOrderCreated'],
  ['/', /\/till\/checkout/, {}, 'SavedForOnlineCheckoutCreated'],
  ['/gift-cards', /\/gift-cards\/sell/, { amount: '250.50', payment: 'cash' }, 'GiftCardTransactionCreated'],
  ['/customers', /\/customers\/create/, { firstName: 'Tiril', email: 'tiril@example.com' }, 'CustomerCreated'],
  ['/customers/4711', /\/customers\/4711\/change/, { city: 'Bodø' }, 'CustomerUpdated'],
  ['/deliveries', /\/deliveries\/announce/, { ...GOODS, direct: 'false' }, 'DeliveryCreated'],
  ['/deliveries', /\/deliveries\/\d+\/cost/, { sku: SKU, cost: '12.50' }, 'DeliveryUpdated'],
  [
    '/deliveries',
    /\/deliveries\/\d+\/receive/,
    { some: 'yes', 'line.7090012340073': '1' },
    'DeliveryItemsReceived',
    'DeliveryUpdated',
  ],
  ['/deliveries', /\/deliveries\/\d+\/close/, {}, 'DeliveryCompleted'],
  ['/stock', /\/stock\/count/, { 'count.7090012340073': '99' }, 'StockCountReconciled', 'StockMovementCreated'],
  ['/stock', /\/stock\/adjust/, { sku: SKU, quantity: '-1', reason: 'Torn' }, 'StockAdjustmentCreated'],
  ['/transfers', /\/transfers\/send/, { ...GOODS, to: '102' }, 'ProductTransferCreated'],
  ['/transfers', /\/transfers\/\d+\/receive/, {}, 'ProductTransferReceived'],
  ['/transfers', /\/transfers\/send/, { ...GOODS, to: 'WEB' }, 'ProductTransferVirtualCreated'],
  ['/transfers', /\/transfers\/\d+\/receive/, {}, 'ProductTransferVirtualReceived'],
  ['/reservations', /\/reservations\/keep/, { ...GOODS, hours: '2' }, 'StockReservationCreated'],
  ['/reservations', /\/reservations\/[^/]+\/release/, {}, 'StockReservationExpired'],
  ['/reservations', /\/reservations\/keep/, { ...GOODS, hours: '2' }, 'StockReservationCreated'],
  ['/reservations', /\/reservations\/[^/]+\/expire/, {}, 'StockReservationExpired'],
  ['/orders', /\/orders\/place/, { ...GOODS, ship: 'true', paid: 'true' }, 'StockReservationCreated'],
  ['/orders', /\/orders\/[^/]+\/pack/, {}, ORDER, 'OmniChannelOrderFulfilled', 'StockMovementCreated'],
  ['/orders', /\/orders\/place/, { ...GOODS, ship: 'false', paid: 'false' }, 'StockReservationCreated'],
  ['/orders', /\/orders\/[^/]+\/expire/, {}, ORDER, 'StockReservationExpired'],
  ['/orders', /\/orders\/place/, { ...GOODS, ship: 'false', paid: 'false' }, 'StockReservationCreated'],
  ['/orders', /\/orders\/[^/]+\/decline/, {}, ORDER],
  ['/orders', /\/orders\/return/, { orderNo: 'W-1', ...GOODS, isRefunded: 'false' }, 'OmniChannelOrderRefundUpdated'],
  ['/day', /\/day\/reconciliation/, {}, 'BankterminalReconciliationPrinted'],
  ['/day', /\/day\/import/, { ...GOODS, orderNo: 'W-2' }, 'SaleExternalCreated'],
  ['/day', /\/day\/close/, {}, 'POSSettlementCreated'],
]

describe('what the pages can cause', () => {
  let platform: SandboxPlatform
  beforeAll(async () => {
    platform = await givenPlatform()
    // Nobody is there: what was to be sent is told all the same.
    for (const kind of KINDS) await subscribe(platform, kind, 'http://127.0.0.1:9/hook?token=of-the-hub')
  })
  afterAll(() => platform?.[Symbol.asyncDispose]())

  const read = async (path: string) => (await request(platform.url).get(path).query({ store: '101' }).expect(200)).text

  /** Presses a button that the page has, and gives the kinds that the next page names. */
  async function press([path, action, form]: Press): Promise<string[]> {
    const text = await read(path)
    const target = [...text.matchAll(/action="([^"]+)"/g)]
      .map(([, found = '']) => found.replaceAll('&amp;', '&'))
      .find((found) => action.test(found))
    if (target === undefined) throw new Error(`${path} has no button for ${action}.`)
    const { headers } = await request(platform.url).post(target).type('form').send(form).expect(303)
    const { text: after } = await request(platform.url)
      .get(headers.location ?? '')
      .expect(200)
    const [, sent] = /<p class="quiet">Sent: ([^<]*)\.<\/p>/.exec(after) ?? []
    if (sent === undefined) throw new Error(`${target}: ${/<div class="said[\s\S]*?<\/div>/.exec(after)?.[0]}`)
    return sent.split(', ').map((kind) => kind.replace(/ × .*/, ''))
  }

  test('When each button is pressed, then every kind there is is caused, and the page says so', async () => {
    const caused = new Set<string>()
    for (const one of PRESSES) {
      const [, , , ...kinds] = one
      const sent = await press(one)
      expect(sent).toEqual(expect.arrayContaining(kinds))
      for (const kind of sent) caused.add(kind)
    }
    expect([...caused].sort()).toEqual([...KINDS].sort())
  })

  test('When anybody reads the pages, then no address shows what stands after its question mark', async () => {
    await platform.settled()
    const pages = await Promise.all(['/', '/events', '/kinds', '/subscriptions'].map(read))
    expect(pages.join(' ')).toContain('http://127.0.0.1:9/hook')
    expect(pages.join(' ')).not.toContain('of-the-hub')
  })

  test('When all switches together are above 100 %, then the last one is refused, and the others stay', async () => {
    const turn = (fault: string, form: object) =>
      request(platform.url).post(`/faults/${fault}`).type('form').send(form).expect(303)
    await turn('drop', { share: '60' })
    const { headers } = await turn('duplicate', { share: '60' })
    const { text } = await request(platform.url)
      .get(headers.location ?? '')
      .expect(200)
    expect(text).toContain('Not done: All switches together are above 100 % of events')
    expect(text).toMatch(/on, 60 % of events[\s\S]*Send events twice<\/h3>\s*<p><span class="badge plain">off/)
    await turn('drop', { off: 'yes' })
  })

  test.each(['/customers/1', '/events/nothing'])(
    'When there is no such page (%s), then a page says so',
    async (path) => {
      const { text } = await request(platform.url).get(path).expect(404).expect('content-type', /html/)
      expect(text).toContain('There is no')
    },
  )
})
