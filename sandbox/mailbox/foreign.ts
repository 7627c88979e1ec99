import type { Response } from 'express'

/** The headers of a page that shows something of somebody else in a frame. */
export const FRAME_POLICY = {
  'content-security-policy': "default-src 'none'; style-src 'self'; img-src data:; frame-src 'self'",
  'cache-control': 'no-store',
}

/** Something of somebody else, for a frame: no script runs, nothing is loaded, and it counts as another site. */
export function sendForeign(response: Response, content: string | Buffer, type = 'html'): void {
  response.set({
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  response.type(type).send(content)
}
