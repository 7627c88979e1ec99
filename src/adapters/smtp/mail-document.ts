import { html, raw } from 'hono/html'
import { receiptStyle } from './receipt/style.ts'

type Markup = ReturnType<typeof html>

interface MailDocument {
  locale: string
  title: string
  storeName: string
  /** Content-ID of the shop's own picture. */
  logo: string | null
  body: Markup
}

/** An HTML document in the look of all mails, that needs nothing from elsewhere. */
export async function mailDocument({ locale, title, storeName, logo, body }: MailDocument): Promise<string> {
  const head = logo
    ? html`<img class="logo" src="cid:${logo}" alt="${storeName}">`
    : html`<p class="store">${storeName}</p>`
  const document = await html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no">
<title>${title}</title>
<style>${raw(receiptStyle)}</style>
</head>
<body>
<main class="paper">
${head}
${body}
</main>
</body>
</html>
`
  return document.toString()
}
