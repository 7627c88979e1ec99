import { html } from 'hono/html'
import type { Wording } from '../wording/form.ts'
import { mailDocument } from './mail-document.ts'
import type { MessageView } from './message-view.ts'

interface Extras {
  wording: Wording
  /** Content-ID of the shop's own picture. */
  logo: string | null
}

/** A message about an order as an HTML document, in the look of the receipts. */
export async function messageHtml(view: MessageView, { wording, logo }: Extras): Promise<string> {
  const { title, text, storeName, orderNo } = view
  const body = html`<p class="quiet number">${wording.order} ${orderNo}</p>
<h1 class="big">${title}</h1>
${greeting(view, wording) && html`<p>${greeting(view, wording)}</p>`}
<p>${text}</p>
<div class="facts">
<p><b>${storeName}</b></p>
</div>`
  return await mailDocument({ locale: wording.locale, title: `${title} ${orderNo}`, storeName, logo, body })
}

/** The same as plain text. */
export function messageText(view: MessageView, wording: Wording): string {
  const blocks = [
    view.title,
    greeting(view, wording),
    view.text,
    `${view.storeName}\n${wording.order}: ${view.orderNo}`,
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function greeting({ customerName }: MessageView, { hello }: Wording): string {
  return customerName && `${hello} ${customerName}.`
}
