import { type Response, Router } from 'express'
import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup of hono's `html`: text that is safe to put into a page. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

const STYLE_PATH = '/sandbox.css'

/** The line above a page that is one of a few. */
const TOP = html`<p>Tillbridge sandbox</p>`

/**
 * A plain page of the sandbox as a whole HTML document; `top` stands above it. Its style comes from `createPageStyle`,
 * which the same server must offer. Wide tables belong into `<div class="scroll" tabindex="0">`, so that only they move
 * on a narrow screen.
 */
export async function page(title: string, body: Markup, top: Markup = TOP): Promise<string> {
  const document = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${STYLE_PATH}">
  </head>
  <body>
    <header>${top}</header>
    <main id="main">
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>
`
  return document.toString()
}

/** Answers with a page; the browser is told to run no script and to load only the sandbox's own style and pictures. */
export async function sendPage(response: Response, title: string, body: Markup, top: Markup = TOP): Promise<void> {
  const document = await page(title, body, top)
  response
    .set('content-security-policy', "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'")
    .set('cache-control', 'no-store')
    .type('html')
    .send(document)
}

/** The route of the pages' style, `GET /sandbox.css`: one for each server that shows pages. */
export function createPageStyle(): Router {
  const router = Router()
  router.get(STYLE_PATH, (_, response) => {
    response.sendFile('page.css', { root: import.meta.dirname, cacheControl: false })
  })
  return router
}
