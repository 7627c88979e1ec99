import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { pageTime } from '../../page-time.ts'

type Cell = Markup | string | number | null

/** How something stands: it went well, it needs a look, it went wrong; or it is only said. */
type Tone = 'good' | 'wait' | 'bad' | 'plain'

/** A table in a box of its own that moves on a narrow screen. A head that begins with `#` is one of numbers. */
export function table(label: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): Markup {
  const style = heads.map((head) => (head.startsWith('#') ? 'number' : ''))
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head, at) => html`<th scope="col" class="${style[at]}">${head.replace('#', '')}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td class="${style[at]}">${cell ?? ''}</td>`)}</tr>`)}</tbody>
</table></div>`
}

/** A word that shows at a glance how something stands. */
export function badge(tone: Tone, words: string): Markup {
  return html`<span class="badge ${tone}">${words}</span>`
}

/** A form that is one button. What it does is said to whoever hears the page, too, when the word alone is not enough. */
export function button(action: string, label: string, { said = '', strong = false } = {}): Markup {
  const classes = strong ? 'strong' : ''
  return html`<form method="post" action="${action}"><button class="${classes}">${label}${said && html`<span class="heard"> ${said}</span>`}</button></form>`
}

/** A field under its label. */
function field(label: string, control: Markup): Markup {
  return html`<label class="field"><span>${label}</span>${control}</label>`
}

/** A field of plain text; `attributes`: whatever else an input may have. */
export function textField(
  label: string,
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
): Markup {
  return field(label, input(name, attributes))
}

function input(name: string, attributes: Readonly<Record<string, string | number>> = {}): Markup {
  const rest = Object.entries(attributes).map(([key, value]) => html` ${key}="${value}"`)
  return html`<input name="${name}"${rest}>`
}

/** A field to choose one of; pairs of value and words. */
export function choice(
  label: string,
  name: string,
  options: readonly (readonly [value: string, words: string])[],
  chosen = '',
): Markup {
  return field(
    label,
    html`<select name="${name}">${options.map(
      ([value, words]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${words}</option>`,
    )}</select>`,
  )
}

/** `1 sale`, `2 sales`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** When something happened. */
export function readable(instant: number): Markup {
  return html`<time>${pageTime(instant)}</time>`
}
