import { html, raw } from 'hono/html'
import type { Wording } from '../../wording/form.ts'
import type { PrintLine } from './print-lines.ts'
import type { ReceiptView } from './view.ts'

const STYLE = `
body { margin: 0; padding: 24px 12px; background: #eef0f3; color: #1c2027; }
.paper { box-sizing: border-box; width: fit-content; min-width: min(100%, 320px); max-width: 100%; margin: 0 auto; padding: 24px;
  background: #fff; font: 1em/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
p { margin: 0; min-height: 1.4em; white-space: pre-wrap; overflow-wrap: anywhere; }
.strong { font-weight: 700; }
.center { text-align: center; }
.right { text-align: right; }
hr { margin: 0.7em 0; border: 0; border-top: 1px dashed #596170; }
.signature { max-width: 48ch; margin-top: 24px; font-size: max(9px, 0.8em); color: #596170; }
@media (max-width: 480px) { body { padding: 0; background: #fff; } .paper { padding: 16px; } }
@media (prefers-color-scheme: dark) {
  body { background: #101216; color: #e8eaee; }
  .paper { background: #1b1f26; }
  .signature { color: #a6aebb; }
  hr { border-color: #a6aebb; }
}
@media print { body, .paper { padding: 0; background: none; color: #000; } }
`

/** The most columns of a line; a longer one is broken: no till prints so much on a line. */
const MOST_COLUMNS = 56
/** How wide a letter is, to its height. */
const LETTER = 0.62

/** The receipt as the till prints it: a page that needs nothing from elsewhere, and may load and run nothing. */
export async function printPage(lines: readonly PrintLine[], view: ReceiptView, words: Wording): Promise<string> {
  const { title, receiptNo, signature, keyVersion } = view
  const version = keyVersion && ` (${words.keyVersion} ${keyVersion})`
  const page = await html`<!doctype html>
<html lang="${words.locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${receiptNo}</title>
<style>${raw(STYLE + fitting(lines))}</style>
</head>
<body>
<main class="paper">
<h1>${title} ${receiptNo}</h1>
${lines.map(printed)}
${signature && html`<p class="signature">${words.signature}${version}: ${signature}</p>`}
</main>
</body>
</html>
`
  return page.toString()
}

/** Letters so small that the longest line of print has room on a phone, too. */
function fitting(lines: readonly PrintLine[]): string {
  const columns = Math.min(Math.max(...lines.map(({ value }) => value.length), 24), MOST_COLUMNS)
  return `body { font-size: clamp(9px, calc((100vw - 40px) / ${Math.ceil(columns * LETTER)}), 14px); }\n`
}

function printed({ look, align, value }: PrintLine) {
  if (look === 'rule') return html`<hr>\n`
  return html`<p class="${look} ${align}">${value}</p>\n`
}
