import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * Opens a page in light and looks at it in light and dark: what somebody on a telephone, or who sees or hears it in
 * another way, would be hindered by, each with the path. Empty: everybody can use it.
 */
export async function hindrances(page: Page, path: string, open: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  await page.emulateMedia({ colorScheme: 'light' })
  await open()
  // There are no frames: the page's own context is enough. What is well is not looked at any further.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'], selectors: false })
  const light = await axe.analyze()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await page.evaluate(contrast)
  for (const { id, nodes } of [...light.violations, ...dark.violations]) found.push(`${path} ${id} ${nodes[0]?.html}`)
  const { overflow, low } = await page.evaluate(measure)
  if (overflow > 0) found.push(`${path} moves sideways by ${overflow}`)
  for (const label of low) found.push(`${path} has a low button: ${label}`)
  return found
}

/** In the other colours, nothing else can be wrong; axe is in the page already. */
const contrast =
  `axe.run({ runOnly: ['color-contrast'], resultTypes: ['violations'], selectors: false })` as unknown as () => Pick<
    Awaited<ReturnType<AxeBuilder['analyze']>>,
    'violations'
  >

/** Runs in the browser, which has a document; this program has none, so it is written as text. */
const measure = `(() => ({
  overflow: document.documentElement.scrollWidth - innerWidth,
  low: [...document.querySelectorAll('button')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44).map((one) => one.innerText),
}))()` as unknown as () => { overflow: number; low: string[] }
