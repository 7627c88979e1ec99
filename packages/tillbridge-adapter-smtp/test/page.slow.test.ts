import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, whyNoBrowser } from '../../../test/browser.ts'
import { line, mailOf, receiptMessage } from './mail.ts'

/** A sale with everything that a receipt can show. */
const message = receiptMessage({
  orderNo: 'EA-77',
  orderLines: [
    line({ brand: 'Nordlys', colour: 'Black', sizeText: 'Medium', fullPrice: 399 }),
    line({ name: 'Wool jumper, hand knitted in Setesdal', quantity: 2, price: 1299, vat: 519.6, fullPrice: 1299 }),
    line({ name: 'Coffee to go', price: 49.5, vat: 6.46, vatPercent: 0.15, fullPrice: 49.5 }),
    line({ name: 'Beanie', quantity: -1, price: 449, vat: -89.8, fullPrice: 449 }),
    line({ name: `Donaudampfschiff${'fahrtsgesellschaft'.repeat(5)}` }),
  ],
  paymentLines: [
    { type: 'Card', subType: 'Visa', amount: 2396.5 },
    { type: 'GiftCard', subType: null, amount: 500 },
  ],
  total: 2896.5,
  vatTotal: 575.86,
})

// Colours hang on the scheme alone, and the layout on the width.
const views = [
  { width: 360, scheme: 'light' },
  { width: 800, scheme: 'dark' },
] as const

// A machine without Chromium skips it; CI has one.
describe.skipIf(chromiumPath === null)(`the HTML of a receipt in a browser${whyNoBrowser}`, () => {
  let browser: Browser | null = null
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())

  /** Shows the mail; `asked`: every address that the page asked for. */
  async function show(html: string, width: number, scheme: 'light' | 'dark'): Promise<{ page: Page; asked: string[] }> {
    if (!browser) throw new Error('The browser is there in the tests of this block only.')
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme })
    const page = await context.newPage()
    const asked: string[] = []
    await page.route('**/*', (route) => {
      asked.push(route.request().url())
      return route.abort()
    })
    await page.setContent(html)
    return { page, asked }
  }

  test.each(views)('When it is $width px wide and $scheme, then everybody can read it', async ({ width, scheme }) => {
    const { html } = await mailOf(message)
    const { page, asked } = await show(html, width, scheme)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    expect(asked).toEqual([])
    // Nothing sticks out at the side, and nothing is so small that a phone would zoom.
    const { overflow, smallest } = await page.evaluate(measure)
    expect(overflow).toBe(0)
    expect(smallest).toBeGreaterThanOrEqual(14)
    await page.context().close()
  })
})

interface Measured {
  overflow: number
  smallest: number
  largest: string
  edges: number[]
}

/** Runs in the browser, which has a document; this program has none, so it is written as text. */
const measure = `(() => {
  const texts = [...document.querySelectorAll('body *')].filter((element) => element.innerText?.trim() && element.children.length === 0)
  const size = (element) => parseFloat(getComputedStyle(element).fontSize)
  const sorted = texts.toSorted((a, b) => size(a) - size(b))
  return {
    overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    smallest: size(sorted[0]),
    largest: sorted.at(-1).innerText,
    edges: [...document.querySelectorAll('.lines td[align], .sums td[align]')].map((cell) => Math.round(cell.getBoundingClientRect().right)),
  }
})()` as unknown as () => Measured
