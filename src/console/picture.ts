import type { Instant } from '../domain/values/instant.ts'
import { toStoreLocal } from '../domain/values/store-time.ts'
import { type Html, html } from './html.ts'
import type { Visit } from './visit.ts'

interface Bar {
  /** When its hour begins. */
  from: Instant
  value: number
  /** Where a line is drawn; null: nowhere. */
  usual: number | null
  /** Its tooltip, behind the hour. */
  words: string
}

const WIDTH = 20
const HEIGHT = 80
const LABELS = 16

/** Hours as bars. `words` say the same to who cannot see it, and stand below. */
export function hourBars({ zone }: Pick<Visit, 'zone'>, bars: readonly Bar[], words: string): Html {
  const most = Math.max(1, ...bars.map(({ value, usual }) => Math.max(value, usual ?? 0)))
  const heightOf = (value: number) => Math.round((value / most) * HEIGHT)
  return html`<figure class="hours"><svg preserveAspectRatio="xMinYMid" viewBox="0 0 ${bars.length * WIDTH} ${HEIGHT + LABELS}" role="img" aria-label="${words}">
${bars.map(({ from, value, usual, words: inWords }, nth) => {
  const hour = toStoreLocal(from, zone).slice(11, 13)
  const x = nth * WIDTH
  const at = usual === null ? null : HEIGHT - heightOf(usual)
  return html`<g><title>${hour}: ${inWords}</title><rect class="back" x="${x}" y="0" width="${WIDTH}" height="${HEIGHT}"/><rect class="hour" x="${x + 3}" y="${HEIGHT - heightOf(value)}" width="${WIDTH - 6}" height="${heightOf(value)}"/>${
    at === null ? '' : html`<line x1="${x}" x2="${x + WIDTH}" y1="${at}" y2="${at}"/>`
  }${nth % 3 === 2 ? html`<text x="${x + WIDTH / 2}" y="${HEIGHT + 12}">${hour}</text>` : ''}</g>
`
})}</svg><figcaption>${words}</figcaption></figure>`
}
