import { request } from 'undici'
import { WEBHOOK_TOKEN } from '../../../hub.ts'

/** Sends an event as the platform does; rejects where the hub does not take it. */
export async function postWebhook(url: string, kind: string, eventId: string, payload: unknown): Promise<void> {
  const { statusCode, body } = await request(`${url}/webhooks/${kind}/all?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-event-id': eventId },
    body: JSON.stringify(payload),
  })
  await body.dump()
  if (statusCode >= 300) throw new Error(`The hub answered ${statusCode} to ${kind}.`)
}
