import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IntakeRequest } from '../../../ports/intake.ts'

const PING = /^webhook_id=\d{1,20}$/

/**
 * Whether the shop sent it: `X-WC-Webhook-Signature` is the base64 of HMAC-SHA256 over the raw body. A ping, which the shop
 * sends when a webhook is saved, has no signature, and says nothing that anybody could want to forge: it is let through so
 * that the operator sees no error.
 */
export function createVerify(secret: string): (request: IntakeRequest) => boolean {
  return (request) => {
    if (isPing(request)) return true
    const told = Buffer.from(request.headers['x-wc-webhook-signature'] ?? '', 'base64')
    const right = createHmac('sha256', secret).update(request.body).digest()
    return told.length === right.length && timingSafeEqual(told, right)
  }
}

/** The form that the shop sends to try a new webhook. It has no topic. */
export function isPing({ headers, body }: IntakeRequest): boolean {
  return (
    headers['x-wc-webhook-topic'] === undefined && body.length < 40 && PING.test(Buffer.from(body).toString('latin1'))
  )
}
