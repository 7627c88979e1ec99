import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IntakeRequest } from '../../../ports/intake.ts'

const PING = /^webhook_id=\d{1,20}$/

/** Whether the shop sent it: `X-WC-Webhook-Signature` is the base64 of HMAC-SHA256 over the raw body. */
export function createVerify(secret: string): (request: IntakeRequest) => boolean {
  return (request) => {
    const told = Buffer.from(request.headers['x-wc-webhook-signature'] ?? '', 'base64')
    const right = createHmac('sha256', secret).update(request.body).digest()
    return told.length === right.length && timingSafeEqual(told, right)
  }
}

/**
 * The form that the shop sends to try a new webhook. It has no topic and no signature, so that anybody may send it; it is answered
 * so that the operator who saves the webhook sees no error.
 */
export function isPing({ headers, body }: IntakeRequest): boolean {
  return (
    headers['x-wc-webhook-topic'] === undefined && body.length < 40 && PING.test(Buffer.from(body).toString('latin1'))
  )
}
