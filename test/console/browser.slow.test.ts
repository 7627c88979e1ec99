import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, whyNoBrowser } from '../browser.ts'
import { eventually } from '../eventually.ts'
import { customer, orderUpdate, receipt, sale } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { startProvider } from './provider.ts'
import { PASSWORD, signIn } from './visitor.ts'

const PAGES = [
  '/',
  '/failures',
  '/destinations',
  '/events',
  '/deliveries?state=dead',
  '/events/1',
  '/deliveries/1',
  '/orders/A1',
  '/search?q=kari.nordmann%40example.com',
  '/audit',
  '/audit/1',
  '/submissions',
  '/acts',
  '/stores',
  '/completeness',
  '/gaps',
  '/settlements',
  '/stock',
  '/products',
  '/people',
  '/jobs',
  '/jobs/alarms',
  '/files',
  '/subscriptions',
  '/config',
  '/keys',
  '/users',
]

/** Each width and each scheme once: what a width breaks does not hang on the colours. */
const VIEWS = [
  { width: 1_280, scheme: 'light' },
  { width: 360, scheme: 'dark' },
] as const

/** A hub with failures of several sorts, and an operator. */
async function startTroubled() {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  sink.play((_, nth) => (nth % 2 === 0 ? { status: 200 } : { status: 400 }))
  const hub = opened.use(await startTestHub({ destinations: { bus: busTo(sink.url) } }))
  for (let receiptNo = 1001; receiptNo < 1007; receiptNo += 1) await hub.post('SaleCreated', sale({ receiptNo }))
  await hub.post('OmniChannelOrderUpdated', orderUpdate())
  await hub.post('CustomerUpdated', customer())
  await hub.post('SendReceipt', receipt())
  await hub.post('StockMovementCreated', { odd: 1 })
  await eventually(async () => {
    const { body } = await hub.admin<{ deliveries: object[] }>('deliveries?state=dead')
    expect(body.deliveries.length).toBeGreaterThan(1)
  }, 30_000)
  await signIn(hub, 'admin', 'kari')
  const scope = opened.move()
  return { hub, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

// A machine without Chromium skips it; CI has one.
describe.skipIf(chromiumPath === null)(`the console in a browser${whyNoBrowser}`, () => {
  let browser: Browser | null = null
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())

  async function open(url: string, { width, scheme }: (typeof VIEWS)[number], javaScriptEnabled: boolean) {
    if (!browser) throw new Error('The browser is there in the tests of this block only.')
    const viewport = { width, height: 800 }
    const context = await browser.newContext({ viewport, colorScheme: scheme, javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${url}/console/`)
    await page.getByLabel('Name').fill('kari')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    return page
  }

  test('When it is wide or narrow, light or dark, then everybody can read each page', {
    timeout: 600_000,
  }, async () => {
    await using troubled = await startTroubled()
    const { url } = troubled.hub
    for (const view of VIEWS) {
      const page = await open(url, view, true)
      for (const path of PAGES) {
        await page.goto(`${url}/console${path}`)
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html}`)).toEqual([])
        const outside = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        expect(await page.evaluate(outside), `${path} at ${view.width}`).toBe(0)
      }
      await page.context().close()
    }
  })

  test('When something changes, then a live page shows it by itself; when the hub is gone, it says since when', {
    timeout: 120_000,
  }, async () => {
    await using troubled = await startTroubled()
    const page = await open(troubled.hub.url, VIEWS[0], true)
    await page.goto(`${troubled.hub.url}/console/destinations`)
    await troubled.hub.admin('destinations/bus/pause', { reason: 'a test' })
    await page.getByText('Paused by admin: a test').waitFor()
    const stale = page.getByText('Stale since')
    expect(await stale.isVisible()).toBe(false)
    await troubled.hub.hub.stop(0)
    await stale.waitFor({ timeout: 60_000 })
    expect(await stale.innerText()).toMatch(/Stale since \d/)
  })

  test('When the browser runs no script, then an operator repairs a group of failures all the same', {
    timeout: 120_000,
  }, async () => {
    await using troubled = await startTroubled()
    const page = await open(troubled.hub.url, VIEWS[0], false)
    await page.getByRole('link', { name: 'Failures' }).click()
    await page.getByRole('button', { name: 'Skip bus' }).first().click()
    await page.getByLabel('Reason, for the audit').fill('a test')
    await page.getByRole('button', { name: /^Skip: / }).click()
    await page.getByText(/^Done: skip, /).waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('a test').waitFor()
  })

  test('a sign-in at a provider of another site ends at the page that was asked for, without a script', {
    timeout: 60_000,
  }, async () => {
    await using provider = await startProvider({ kari: { email: 'kari@example.com', roles: ['staff'] } })
    provider.behaviour.account = 'kari'
    const oidc = { ...provider.oidc, roles: { staff: 'operator' as const } }
    await using hub = await startTestHub({ config: { server: provider.server, console: { oidc } } })
    const context = await browser?.newContext({ javaScriptEnabled: false })
    const page = await context?.newPage()
    await page?.goto(`${hub.url}/console/failures`)
    await page?.getByRole('link', { name: 'Sign in with Fjord ID' }).click()
    await page?.waitForURL(`${hub.url}/console/failures`)
    await page?.getByText('kari@example.com').waitFor()
    await context?.close()
  })
})
