import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup; values put into `html` are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export { html }

export const NOTHING: Html = html``
