import { html, raw } from 'hono/html'

/** What `complete` states, in words. */
export interface Statement {
  verdict: string
  /** By, kind, store, from, until, verdict, gaps. */
  rows: (string | number | null)[][]
  /** What lists and the hub have of that day: see LISTED. */
  listed: (string | number | null)[][]
  notes: string[]
}

/** The heads of what lists and the hub have of a day. */
export const LISTED = ['kind', 'store', 'listed', 'here', 'sum listed', 'sum here']

const STYLE = `
@page { margin: 18mm }
body { font: 11pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: #111; background: #fff }
h1 { font-size: 1.5rem; margin: 0 } p.verdict { font-weight: 600 }
table { border-collapse: collapse; width: 100% } tr { break-inside: avoid }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top }`

const HEADS = ['By', 'Kind', 'Store', 'From', 'Until', 'Verdict', 'Gaps']

/** The statement as a page to print. It needs nothing from elsewhere. */
export function completePage(
  { day, until, store }: { day?: string; until?: string; store?: string },
  { verdict, rows, listed, notes }: Statement,
): string {
  const title = `Is everything here? ${store === undefined ? 'All stores' : `Store ${store}`}, ${day ?? `until ${until ?? 'lately'}`}`
  return String(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${raw(STYLE)}</style></head>
<body>
<h1>${title}</h1>
<p>Stated ${new Date().toISOString()} by Tillbridge.</p>
<p class="verdict">${verdict}</p>
${tableOf(HEADS, rows)}
${listed.length === 0 ? '' : tableOf(LISTED, listed)}
${notes.map((note) => html`<p>${note}</p>`)}
</body>
</html>
`)
}

function tableOf(heads: readonly string[], rows: Statement['rows']) {
  return html`<table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table>`
}
