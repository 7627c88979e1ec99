import { AxeBuilder } from '@axe-core/playwright'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, whyNoBrowser } from '../browser.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { PASSWORD, signIn } from './visitor.ts'

/* The short form of on-call.slow.test.ts and browser.slow.test.ts. */

async function openRefused() {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  sink.play((_, nth) => (nth === 0 ? { status: 200 } : { status: 400 }))
  const hub = opened.use(await startTestHub({ destinations: { bus: busTo(sink.url) } }))
  await hub.post('SaleCreated', sale({ receiptNo: 'taken' }))
  await sink.until(1)
  for (const receiptNo of ['refused 1', 'refused 2']) await hub.post('SaleCreated', sale({ receiptNo }))
  await eventually(async () => {
    const { body } = await hub.admin<{ deliveries: object[] }>('deliveries?state=dead')
    expect(body.deliveries).toHaveLength(2)
  })
  await signIn(hub, 'operator', 'kari')
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  opened.defer(() => browser.close())
  const open = opened.move()
  return { browser, sink, hub, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

describe.skipIf(chromiumPath === null)(`the console in a browser, in short${whyNoBrowser}`, () => {
  let story: Awaited<ReturnType<typeof openRefused>> | null = null
  beforeAll(async () => {
    story = await openRefused()
  }, 60_000)
  afterAll(() => story?.[Symbol.asyncDispose]())

  test.each([true, false])(
    'When JavaScript is %s, then an operator finds what was refused, sends it again with a reason, and axe finds nothing',
    async (javaScriptEnabled) => {
      if (story === null) throw new Error('It is open.')
      const { browser, sink, hub } = story
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1_280, height: 800 } })
      const page = await context.newPage()
      await page.goto(`${hub.url}/console`)
      await page.getByLabel('Name').fill('kari')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Failures', exact: true }).click()
      await page
        .getByRole('button', { name: /^Retry/ })
        .first()
        .click()
      await page.getByLabel('Reason, for the audit').fill('they take it now')
      if (javaScriptEnabled) {
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id }) => id)).toEqual([])
      }
      const before = sink.received.length
      await page.getByRole('button', { name: /^Retry/ }).click()
      await expect.poll(() => page.locator('body').innerText()).toContain('Done: retry')
      await sink.until(before + 2)
      await context.close()
    },
    60_000,
  )

  test('the picture of arrivals has a bar no wider than its hour, and a table on a phone has its heads as written above it', async () => {
    if (story === null) throw new Error('It is open.')
    const { browser, hub } = story
    await hub.admin('jobs/inactivity/run', {})
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${hub.url}/console`)
    await page.getByLabel('Name').fill('kari')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('figure.hours svg').waitFor()
    // In one go: the page is live.
    const { widths, heads } = await page.evaluate<{ widths: number[]; heads: string[] }>(`({
      widths: [...document.querySelectorAll('figure.hours svg, figure.hours svg *')].map((one) => one.getBoundingClientRect().width),
      heads: [...document.querySelectorAll('td[data-head]')].map((one) => one.dataset.head),
    })`)
    const [whole = 0, ...parts] = widths
    expect(whole).toBeGreaterThan(300)
    expect(Math.max(...parts)).toBeLessThan(whole / 20)
    expect(heads).toEqual(expect.arrayContaining(['Destination', 'Waiting', 'Held', 'Dead', 'Oldest']))
    await context.close()
  }, 60_000)
})
