import { z } from 'zod'
import { TextOrNull, WholeOrNull } from './values.ts'

/** `WebhookViewModel`. */
export const Webhook = z.strictObject({
  id: z.guid().exactOptional(),
  storeId: WholeOrNull,
  event: TextOrNull,
  url: TextOrNull,
})
