import { chromium } from 'playwright-core'
import { AxeBuilder } from '@axe-core/playwright'
import { test } from 'vitest'
import { chromiumPath } from '../browser.ts'
import { eventually } from '../eventually.ts'
import { customer, orderUpdate, receipt, sale, store } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { PASSWORD, signIn } from './visitor.ts'
const one = process.env.SHOT?.split(',')
test('shots', { timeout: 400_000 }, async () => {
  await using sink = await startSink()
  await using erp = await startSink()
  sink.play((_, nth) => (nth % 3 === 0 ? { status: 200 } : { status: 422, body: 'field lines[0].gtin: not known here, said the receiver ola@example.com' }))
  await erp.refuse()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url), erp: busTo(erp.url, { publish: ['SaleCreated'] }) } })
  for (let n = 0; n < 14; n += 1) await hub.post('SaleCreated', sale({ receiptNo: 1001 + n }))
  await hub.post('OmniChannelOrderUpdated', orderUpdate({}))
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ status: 'Shipped' }))
  await hub.post('CustomerUpdated', customer())
  await hub.post('SendReceipt', receipt())
  await hub.post('StockMovementCreated', { odd: 1 })
  await hub.post('StoreUpdated', store())
  await hub.post('SaleCreated', sale({ receiptNo: 1001, totalAmount: 999 }))
  await eventually(async () => { if ((await hub.admin<{ deliveries: unknown[] }>('deliveries?state=dead')).body.deliveries.length < 5) throw new Error('few') })
  await signIn(hub, 'operator', 'kari')
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  const pages: Record<string, string> = { today: '/', failures: '/failures', destinations: '/destinations', events: '/events', deliveries: '/deliveries?state=dead', event: '/events/17', delivery: '/deliveries/2', order: '/orders/A1', search: '/search?q=kari.nordmann%40example.com', audit: '/audit', entry: '/audit/1' }
  for (const [width, scheme] of [[1280, 'light'], [360, 'light'], [1280, 'dark'], [360, 'dark']] as const) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme, javaScriptEnabled: true })
    const page = await context.newPage()
    await page.goto(`${hub.url}/console/`)
    if (!one) await page.screenshot({ path: `/tmp/tb/shots/signin-${width}-${scheme}.png`, fullPage: true })
    await page.fill('input[name=name]', 'kari'); await page.fill('input[name=password]', PASSWORD); await page.click('button.strong')
    for (const [name, path] of Object.entries(pages)) {
      if (one && !one.includes(name)) continue
      await page.goto(`${hub.url}/console${path}`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      const { violations } = await new AxeBuilder({ page }).analyze()
      console.log(name, width, scheme, 'overflow', overflow, violations.map((v) => `${v.id} ${v.nodes.length} ${v.nodes[0]?.html.slice(0, 120)}`))
      await page.screenshot({ path: `/tmp/tb/shots/${name}-${width}-${scheme}.png`, fullPage: true })
    }
    if (!one || one.includes('preview')) {
      await page.goto(`${hub.url}/console/failures`)
      await page.locator('form[action="/console/acts/skip"] button').first().click()
      await page.screenshot({ path: `/tmp/tb/shots/preview-${width}-${scheme}.png`, fullPage: true })
    }
    await context.close()
  }
  await browser.close()
})
