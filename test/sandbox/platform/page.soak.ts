import { json } from 'node:stream/consumers'
import { type Browser, chromium, type Page } from 'playwright-core'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { chromiumPath, whyNoBrowser } from '../../browser.ts'
import { eventually } from '../../eventually.ts'
import { listen } from '../../listen.ts'
import { hindrances } from '../../page-for-everybody.ts'
import { givenPlatform, HEADERS, subscribe } from './given.ts'

const COAT = '7090012340073'

const PATHS = [
  '/',
  '/gift-cards',
  '/orders',
  '/stock',
  '/transfers',
  '/reservations',
  '/deliveries',
  '/day',
  '/customers',
  '/customers/4711',
  '/faults',
  '/events',
  '/kinds',
  '/subscriptions',
]

// A machine without Chromium skips it; CI has one.
describe.skipIf(chromiumPath === null)(`the pages of the platform in a browser${whyNoBrowser}`, () => {
  let browser: Browser
  let platform: SandboxPlatform
  let receiver: Receiver
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    platform = await givenPlatform()
    receiver = await startReceiver()
    for (const kind of platform.kinds()) await subscribe(platform, kind, `${receiver.url}${kind}`)
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
    const viewport = { width: 360, height: 740 }
    const context = await browser.newContext({ viewport, hasTouch: true, baseURL: platform.url })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  const open = (path: string) => page.goto(`${path}?store=101`)

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  const said = () => page.locator('.said').innerText()

  const table = (label: string) => page.getByRole('region', { name: label }).innerText()

  async function coats(): Promise<number> {
    await page.goto('/stock?store=101&q=COAT-NVY-M')
    return Number(
      await page
        .getByRole('row', { name: /COAT-NVY-M/ })
        .getByRole('cell')
        .nth(2)
        .innerText(),
    )
  }

  test('When a person sells something, then the receipt is listed and the event is sent', async () => {
    await open('/')
    await page.getByLabel('Name, SKU or GTIN').fill('coat navy')
    await press('Search')
    await page.getByLabel(/^Pieces of Winter coat Navy M/).fill('2')
    await page.getByLabel('Paid').selectOption('Cash')
    await press('Sell')
    expect(await said()).toMatch(/^Sold: receipt 1001, till 42\d, .*Sent: SaleCreated, StockMovementCreated\./s)
    expect(await table('Latest receipts')).toContain('2 × Winter coat Navy M')
    const [sale] = await receiver.got('SaleCreated')
    expect(sale).toMatchObject({ receiptNo: '1001', orderLines: [{ gtin: COAT, quantity: 2 }] })
  })

  test('When a sale is refused, then the page says why and the pieces are still there', async () => {
    await open('/')
    await page.getByLabel(/^Pieces of Winter coat Navy M/).fill('3')
    await page.getByLabel('Paid').selectOption('Gift card')
    await page.getByLabel('Gift card number').fill('GC-0')
    await press('Sell')
    expect(await said()).toBe('Not done: There is no gift card GC-0.')
    expect(await page.getByLabel(/^Pieces of Winter coat Navy M/).inputValue()).toBe('3')
  })

  test('When an order came over the API, then staff makes it ready, declines a line, and hands it out', async () => {
    const line = (gtin: string) => ({ gtin, price: '100.00', quantity: '1' })
    await request(platform.url)
      .post('/api/OmniChannel')
      .set({ ...HEADERS, 'x-storeid': '42' })
      .send({
        orderNo: 'A/1',
        status: 'UnHandled',
        customer: { firstName: 'Kari' },
        orderLines: [line(COAT), line('7090012340011')],
      })
      .expect(200)
    await open('/orders')
    await press('Decline Winter coat Navy M of order A/1')
    await press('Ready for pickup order A/1')
    expect(await said()).toMatch(/^Order A\/1: ready for pickup\.\s+Sent: OmniChannelOrderUpdated\./)
    await press('Picked up order A/1')
    expect(await table('Lines of order A/1')).toMatch(/Winter coat.*Declined.*T-shirt.*Picked/s)
    const updates = await receiver.got('OmniChannelOrderUpdated', 3)
    expect(updates.map(({ order }) => order?.status)).toEqual(['UnHandled', 'Picked', 'Shipped'])
  })

  test('When a delivery arrives in two parts, then the stock goes up, and then it is complete', async () => {
    const before = await coats()
    await open('/deliveries')
    await page.getByLabel('Article (SKU or GTIN)').last().fill('COAT-NVY-M')
    await page.getByLabel('Pieces', { exact: true }).fill('10')
    await press('Announce')
    await page.getByLabel('Pieces of Winter coat Navy M that arrived').fill('4')
    await press('Receive these')
    expect(await coats()).toBe(before + 4)
    await open('/deliveries')
    await press('Receive all')
    expect(await said()).toContain('DeliveryCompleted')
    expect(await coats()).toBe(before + 10)
    await receiver.got('DeliveryItemsReceived', 2)
  })

  test('When somebody counts, then the stock is what was counted', async () => {
    const before = await coats()
    await page.getByLabel(/^Counted pieces of Winter coat Navy M/).fill(String(before + 7))
    await press('Reconcile the count')
    expect(await said()).toContain('StockCountReconciled')
    expect(await coats()).toBe(before + 7)
    await receiver.got('StockCountReconciled')
  })

  test('When the day is closed, then the settlement is shown and sent', async () => {
    await open('/day')
    await press('Close the day')
    const [settlement] = await receiver.got('POSSettlementCreated')
    expect(await said()).toContain(`Settlement ${settlement?.settlementId} of Till`)
    expect(await table('Settlements')).toContain(String(settlement?.settlementId))
    expect(await page.getByText('No till sold anything.').isVisible()).toBe(true)
  })

  test('When events are lost, then the switch shows it, and a lost one is listed and can be sent again', async () => {
    await open('/faults')
    const lose = page.getByRole('switch', { name: 'Lose events' })
    await lose.click()
    expect(await lose.getAttribute('aria-checked')).toBe('true')
    expect(await said()).toBe('Lose events: on, every event.')
    await open('/customers')
    await press('Create')
    expect(receiver.count('CustomerCreated')).toBe(0)
    await open('/faults')
    await lose.click()
    expect(await lose.getAttribute('aria-checked')).toBe('false')

    await open('/events')
    expect(await table('Failed events')).toMatch(/CustomerCreated\s+Lost/)
    await page.getByRole('button', { name: /^Send again/ }).click()
    expect(await said()).toBe('CustomerCreated was sent again: 200 OK.')
    await receiver.got('CustomerCreated')
    expect(await page.getByText('None: every event that was sent got a 2xx.').isVisible()).toBe(true)
  })

  // After all of these: every page has something on it.
  test('When any page is opened on a telephone, light or dark, then everybody can use it', async () => {
    const found: string[] = []
    await open('/events')
    const event = await page.getByRole('link', { name: 'CustomerCreated' }).first().getAttribute('href')
    for (const path of [...PATHS, event?.split('?')[0] ?? ''])
      found.push(...(await hindrances(page, path, () => open(path))))
    expect(found).toEqual([])
    expect(complaints).toEqual([])
  }, 120_000)
})

interface Payload {
  order?: { status: string }
  settlementId?: number
}

interface Receiver extends AsyncDisposable {
  url: string
  count(kind: string): number
  got(kind: string, count?: number): Promise<Payload[]>
}

/** Somebody who has subscribed to each kind under a path of its own. */
async function startReceiver(): Promise<Receiver> {
  const payloads = new Map<string, Payload[]>()
  const server = await listen(async (incoming, response) => {
    const kind = incoming.url?.slice(1) ?? ''
    payloads.set(kind, [...(payloads.get(kind) ?? []), (await json(incoming)) as Payload])
    response.end()
  })
  const of = (kind: string) => payloads.get(kind) ?? []
  return {
    url: `${server.url}/`,
    count: (kind) => of(kind).length,
    got: (kind, count = 1) => eventually(() => of(kind).length === count && of(kind)),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
