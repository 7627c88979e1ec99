import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../src/domain/values/errors.ts'
import { chromiumPath, whyNoBrowser } from '../browser.ts'
import { eventually } from '../eventually.ts'
import { pulledSettlement } from '../fixtures/payloads.ts'
import { ACCOUNTS } from '../flows/accounting/books-given.ts'
import { openStorage } from '../flows/days/open-store.ts'
import { busTo } from '../hub.ts'
import { startSink } from '../sink.ts'
import { PASSWORD, signIn } from './visitor.ts'

/** A night on which everything goes wrong that docs/on-call.md has a question for. */
async function openNight() {
  await using opened = new AsyncDisposableStack()
  const [bus, loyalty] = [opened.use(await startSink()), opened.use(await startSink())]
  bus.play((_, nth) => (nth === 0 ? { status: 200 } : { status: 400 }))
  loyalty.play(() => ({ status: 401 }))
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-night-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const write = { sale: { name: 'sale-{key}', format: 'json' }, settlement: { name: 'z-{key}', format: 'json' } }
  const store = opened.use(
    await openStorage({
      ...{ seedCatalogue: false, mirror: 'all' },
      read: () => Promise.reject(new UserError('config/tillbridge.yaml:12: destinations.bus.url: expected a URL')),
      others: {
        erp: { adapter: 'files', folder, write, accounts: ACCOUNTS },
        bus: busTo(bus.url, { publish: ['SaleCreated'] }),
        loyalty: busTo(loyalty.url, { publish: ['CustomerUpdated'] }),
      },
    }),
  )
  const { hub, platform, mailbox, texts } = store
  const ask = <Body>(path: string, body?: object) => hub.admin<Body>(path, body).then(({ body: said }) => said)
  await ask('jobs/stores/run', {})
  platform.pos.sell({ store: '101' })
  await bus.until(1)
  platform.pos.sell({ store: '101' })
  platform.pos.sell({ store: '102' })
  const { orderNo } = platform.pos.endlessAisle({ store: '101' })
  platform.pos.sendReceipt({ channel: 'Email', store: '101' })
  await eventually(() => mailbox.mails().length > 0)
  texts.down(true)
  platform.pos.sendReceipt({ channel: 'SMS', store: '101' })
  await hub.post('POSSettlementCreated', pulledSettlement({ PaymentTypes: [{ Type: 'Card', Amount: 18_000 }] }))
  platform.actions.updateCustomer({ customerId: 4712, city: 'Voss' })
  await platform.settled()
  await eventually(async () => {
    const { deliveries } = await ask<{ deliveries: { id: number }[] }>('deliveries?destination=bus&state=dead')
    expect(deliveries.length).toBeGreaterThan(1)
    const { destinations } = await ask<{ destinations: { name: string; outage: object | null }[] }>('status')
    const isOut = (name: string) => destinations.some((one) => one.name === name && one.outage !== null)
    expect([isOut('texts'), isOut('loyalty')]).toEqual([true, true])
  }, 60_000)
  const [newest] = (await ask<{ deliveries: { id: number }[] }>('deliveries?destination=bus&state=dead')).deliveries
  await hub.admin('deliveries/skip', { filter: { id: newest?.id }, reason: 'a test order' }, { 'x-operator': 'ola' })
  await signIn(hub, 'operator', 'kari')
  const scope = opened.move()
  const mailed = mailbox.mails()[0]?.to ?? ''
  return { url: hub.url, orderNo, mailed: String(mailed), [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

type Night = Awaited<ReturnType<typeof openNight>>

/** A link or a button by its words, or words for the search box: each counts as a click. */
type Step = { press: string | RegExp } | { find: (night: Night) => string } | { rowOf: string } | { because: string }

/** The questions of docs/on-call.md, the way to each answer, and the answer. */
const QUESTIONS: readonly (readonly [question: string, steps: readonly Step[], answer: RegExp])[] = [
  ['The shop is down. Do we lose anything?', [{ press: 'Probe now texts' }], /http-503|does not answer/],
  ['A key or a password is wrong', [{ press: 'Destinations' }], /401/],
  ['One event fails again and again', [{ press: 'Failures' }, { press: 'The newest' }], /Attempts/],
  ['The disk is full', [{ press: 'Jobs' }, { press: 'Run now resend-failed' }], /Done: run-job/],
  ['The hub was killed, or the machine was', [{ press: 'Failures' }], /held[\s\S]*Only a person can decide/],
  ['Nothing has come for hours', [{ press: 'Events' }], /SaleCreated/],
  ['Are we deaf?', [{ press: 'Subscriptions' }], /right/],
  ['Where is order 1042?', [{ find: ({ orderNo }) => String(orderNo) }, { press: /^EA-\d+$/ }], /Timeline/],
  ['"I got two mails"', [{ find: ({ mailed }) => mailed }], /mail\s+email-receipt/],
  [
    '"I never got my receipt"',
    [{ find: ({ mailed }) => mailed }, { rowOf: 'email-receipt' }, { because: 'Send again' }],
    /Done: send-again/,
  ],
  ['The ERP has lost last week’s files', [{ press: 'Files again' }, { press: 'Count them' }], /erp: \d+ records/],
  ['A settlement is missing', [{ press: 'Settlements' }], /Sold, and not settled[\s\S]*\d{4}-\d\d-\d\d\s+101\s/],
  ['A token has leaked', [{ press: 'Config' }], /Reload/],
  ['A new version is to go in tonight', [], /Tillbridge \d+\.\d+\.\d+/],
  ['Who skipped delivery 77, and why?', [{ press: 'Audit' }], /a test order/],
  ['The config was changed, and the hub does not start', [{ press: 'Config' }, { press: 'Check the file' }], /:12:/],
]

// A machine without Chromium skips it; CI has one.
describe.skipIf(chromiumPath === null)(`on call, in the console${whyNoBrowser}`, () => {
  let browser: Browser | null = null
  let night: Night | null = null
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
    night = await openNight()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await night?.[Symbol.asyncDispose]()
  })

  async function go(page: Page, step: Step, on: Night): Promise<void> {
    if ('press' in step) {
      const named = { name: step.press, ...(typeof step.press === 'string' && { exact: true }) }
      const main = page.getByRole('link', named).or(page.getByRole('button', named))
      return await main.first().click()
    }
    if ('rowOf' in step) {
      const row = page.getByRole('row').filter({ hasText: step.rowOf })
      return await row.first().getByRole('link').first().click()
    }
    if ('because' in step) {
      await page.getByLabel('Reason, for the audit').fill('the customer asked')
      return await page.getByRole('button', { name: step.because }).click()
    }
    await page.getByRole('searchbox').fill(step.find(on))
    await page.getByRole('button', { name: 'Search' }).click()
  }

  test.each([true, false])(
    'When JavaScript is %s, then each question is answered within three clicks',
    {
      timeout: 240_000,
    },
    async (javaScriptEnabled) => {
      if (!browser || !night) throw new Error('They are there in the tests of this block only.')
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1_280, height: 800 } })
      const page = await context.newPage()
      await page.goto(`${night.url}/console/`)
      await page.getByLabel('Name').fill('kari')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      for (const [question, steps, answer] of QUESTIONS) {
        await page.goto(`${night.url}/console/`)
        for (const step of steps) await go(page, step, night)
        expect(steps.length, question).toBeLessThanOrEqual(3)
        await expect
          .poll(() => page.locator('body').innerText(), { message: question, timeout: 10_000 })
          .toMatch(answer)
      }
      await context.close()
    },
  )
})
