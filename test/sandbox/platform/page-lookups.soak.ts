import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { chromiumPath, whyNoBrowser } from '../../browser.ts'
import { hindrances } from '../../page-for-everybody.ts'
import { givenPlatform, startReceiver, subscribe } from './given.ts'
import { ORDER, startOwnSystem } from './lookups-given.ts'

// A machine without Chromium skips it; CI has one.
describe.skipIf(chromiumPath === null)(`what the till asks, in a browser${whyNoBrowser}`, () => {
  let browser: Browser
  let page: Page
  let platform: SandboxPlatform
  let system: Awaited<ReturnType<typeof startOwnSystem>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  const complaints: string[] = []

  beforeAll(async () => {
    platform = await givenPlatform({ seedCatalogue: false })
    system = await startOwnSystem()
    receiver = await startReceiver()
    await subscribe(platform, 'OmniChannelOrderRefundUpdated', receiver.url)
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
    const context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      baseURL: platform.url,
    })
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.[Symbol.asyncDispose]()
    await system?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  /** Asks as a person does: from the page where the form stands. */
  async function ask(from: string, label: string, words: string): Promise<void> {
    await page.goto(`${from}?store=101`)
    await page.getByRole('searchbox', { name: label, exact: true }).fill(words)
    await page.getByRole('button', { name: /^Ask / }).click()
  }

  test('When nobody is connected, refuses or answers, then the page says so in plain words, and the question is still there', async () => {
    await page.goto('/orders/find?store=101&q=W-77')
    expect(await page.getByRole('alert').innerText()).toBe(
      'No answer: No system is connected that the tills could ask for orders.',
    )
    platform.lookups.connect(system.connections)
    system.answer = { status: 401 }
    await page.getByRole('button', { name: 'Ask the OMS' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('It does not know the token of the tills (401).')
    platform.lookups.connect({ orders: { url: 'http://127.0.0.1:9/orders', token: 'token-of-the-till' } })
    await page.getByRole('button', { name: 'Ask the OMS' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('http://127.0.0.1:9. Nobody answers there.')
    expect(await page.getByLabel('Order number').inputValue()).toBe('W-77')
    platform.lookups.connect(system.connections)
  })

  test('When the order is found, then what is left of a line can be taken back, and the refund names the line', async () => {
    system.answer = { json: ORDER }
    await ask('/orders', 'Order number', 'W-77')
    const lines = await page.getByRole('region', { name: 'Lines of order W-77' }).innerText()
    expect(lines).toMatch(/T-shirt\s+2\s+1\s+349\.00.*Socks\s+1\s+1\s.*Gift wrapping.*no till knows it/s)
    expect(await page.getByLabel(/^Pieces/).count()).toBe(1)
    expect(await page.getByLabel('Pieces, of 1').getAttribute('max')).toBe('1')
    await page.getByLabel('Money').selectOption('The till gave it back')
    await page.getByRole('button', { name: 'Take it back T-shirt' }).click()
    expect(await page.locator('.said').innerText()).toMatch(
      /^Taken back: online order W-77, .*Sent: OmniChannelOrderRefundUpdated\./s,
    )
    expect(receiver.bodies).toMatchObject([
      { refund: { orderNo: 'W-77', isRefunded: true, orderLines: [{ gtin: '7090012340011', id: '7', quantity: 1 }] } },
    ])
  })

  test('When there is no such order, or nobody is known by what was asked, then the page says that', async () => {
    system.answer = { status: 404 }
    await page.goto('/orders/find?store=101&q=W-0')
    expect(await page.getByRole('status').innerText()).toBe('There is no order W-0.')
    system.answer = { json: [] }
    await page.goto('/customers/find?store=101&q=nobody@example.com')
    expect(await page.getByRole('status').innerText()).toBe('Nobody is known there by that.')
  })

  test('When a customer is found, then the till shows who it is, and which number was kept', async () => {
    const kari = { customerId: 7, customerExtId: 'C-1', firstName: 'Kari', lastName: 'Li', email: 'kari@example.com' }
    system.answer = { json: [{ ...kari, phoneCountryPrefix: '47', phone: '91234567' }] }
    await ask('/customers', 'E-mail or phone', '912 34 567')
    expect(await page.getByRole('region', { name: 'Customers found' }).innerText()).toMatch(
      /Kari Li\s+7\s+C-1\s+kari@example\.com\s+\+47 91234567/,
    )
  })

  test('When these pages are opened on a telephone, light or dark, then everybody can use them', async () => {
    const found: string[] = []
    for (const [path, answer] of [
      ['/orders/find?store=101&q=W-77', { json: ORDER }],
      ['/orders/find?store=101&q=W-77', { status: 503 }],
      ['/customers/find?store=101&q=kari', { json: [{ customerId: 7, firstName: 'Kari', email: 'kari@example.com' }] }],
      ['/customers/find?store=101', { status: 404 }],
    ] as const) {
      system.answer = answer
      found.push(...(await hindrances(page, path, () => page.goto(path))))
    }
    expect(found).toEqual([])
    expect(complaints).toEqual([])
  })
})
